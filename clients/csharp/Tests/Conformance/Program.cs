using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using Diegetic.Testing;

namespace Diegetic.Tests
{
    /// <summary>
    /// Runs the scenarios of clients/conformance: Conformance.exe SCENARIOS SERVER_URL DIRECTORY. Prints a JSON array with the
    /// results and events of each scenario. Fails when something else does not behave as documented. `record URL OUTBOX NAME`
    /// records impressions and prints each id that is accepted; `deliver` as NAME: sends what is left.
    /// </summary>
    public static class Program
    {
        private const string Address = "http://127.0.0.1:1/api";
        // Only ends what hangs.
        private const int PatientMs = 60000;
        private const int MaxImpressions = 5000;

        public static int Main(string[] args)
        {
            if (args.Length == 1) return IsInUse(args[0]) ? 0 : 1;
            if (args.Length == 4)
            {
                Record(args[1], args[2], args[3]).Wait();
                return 0;
            }
            CheckFake().Wait();
            CheckFakeRefusals().Wait();
            CheckArguments();
            CheckJson().Wait();
            CheckCalls().Wait();
            CheckClosing().Wait();
            CheckRepeatedCall().Wait();
            CheckRepeatedDeletion().Wait();
            CheckPages().Wait();
            CheckFlush().Wait();
            CheckLock(Path.Combine(args[2], "locked.jsonl"));
            CheckFullDisk(Path.Combine(args[2], "full.jsonl"));
            CheckReplacing(Path.Combine(args[2], "replaced.jsonl"));
            CheckFirstError(Path.Combine(args[2], "unwritable.jsonl"));
            CheckFolder(args[2]);
            var file = (Dictionary<string, object>)Json.Parse(File.ReadAllText(args[0]));
            var scenarios = (List<object>)file["scenarios"];
            var outcomes = new List<object>();
            for (int index = 0; index < scenarios.Count; index += 1)
            {
                var run = new Run(file, (Dictionary<string, object>)scenarios[index], args[1] + "/" + index + "/api",
                    Path.Combine(args[2], "outbox-" + index + ".jsonl"));
                outcomes.Add(run.Perform().Result);
            }
            Console.WriteLine(Json.Write(outcomes));
            return 0;
        }

        private static async Task Record(string baseUrl, string path, string name)
        {
            var client = new DiegeticClient(new DiegeticClientOptions
            {
                BaseUrl = baseUrl, ApiKey = "test-key", Outbox = new FileOutbox(path),
            });
            if (name == "deliver")
            {
                Console.WriteLine(await client.Close(2 * PatientMs));
                return;
            }
            for (int index = 0; index < MaxImpressions; index += 1)
            {
                var match = new Match { MatchId = name + "-" + index, CampaignId = "c", CreativeId = "r", GameId = "g" };
                if (client.RecordImpression(match)) Console.WriteLine(match.MatchId);
                await Task.Delay(1);
            }
        }

        private static async Task CheckFake()
        {
            var diegetic = new FakeDiegetic();
            DiegeticClient client = diegetic.Client(new DiegeticClientOptions { MatchBudgetMs = 5000 });
            var placement = (Dictionary<string, object>)await client.EnablePlacement("a/b", "me", new[] { "narrative_hook" });
            Check((string)placement["game_id"] == "a/b", "a game is enabled");
            diegetic.ServeAd("A raven caws.");
            var scene = new Scene { GameId = "game", UserId = "player" };
            Match match = await client.Match(scene);
            Check(match.NarrativeHook == "A raven caws." && match.GameId == "game", "an ad is served");
            Check(match.AdvertiserId == "adv-1", "an ad names its advertiser");
            diegetic.ServeNoAd();
            Check(await client.Match(scene) == null, "no ad is served");
            diegetic.Fail();
            client.RecordImpression(match);
            Check(await client.Flush(1) == 1, "an impression waits");
            diegetic.ServeAd();
            Check(await client.Close() == 0, "an impression is delivered");
            Check(diegetic.Impressions.Count == 1 && diegetic.Scenes.Count == 2, "calls are kept");
            diegetic.Fail();
            Check(await diegetic.Client().Match(scene) == null, "an outage serves no ad");
            diegetic.Fail(byTimeout: true);
            Check(await diegetic.Client(new DiegeticClientOptions { MatchBudgetMs = 20 }).Match(scene) == null, "silence serves no ad");
            Check(diegetic.Scenes.Count == 4, "scenes without an answer are kept");
        }

        private static async Task CheckFakeRefusals()
        {
            var diegetic = new FakeDiegetic();
            diegetic.ServeNoAd();
            var context = new Dictionary<string, object>();
            DiegeticClient client = diegetic.Client();
            var bodies = new Dictionary<Dictionary<string, object>, string>
            {
                [new Dictionary<string, object> { ["user_id"] = "player", ["game_context"] = context }]
                    = "game_id is required: it must be text that is not blank",
                [new Dictionary<string, object> { ["game_id"] = "game", ["user_id"] = null, ["game_context"] = context }]
                    = "user_id is required: it must be text that is not blank",
                [new Dictionary<string, object> { ["game_id"] = "game", ["user_id"] = " ", ["game_context"] = context }]
                    = "user_id must be text that is not blank",
                [new Dictionary<string, object> { ["game_id"] = "game", ["user_id"] = "player" }]
                    = "game_context is required: it must be an object",
                [new Dictionary<string, object> { ["game_id"] = "game", ["user_id"] = "player", ["game_context"] = new object[0] }]
                    = "game_context must be an object",
            };
            foreach (var body in bodies) await CheckRefusal(client, "/match", body.Key, 400, body.Value);
            Check(diegetic.Scenes.Count == bodies.Count, "refused scenes are kept");
            await CheckRefusal(client, "/placements/game", new Dictionary<string, object> { ["creator_id"] = "me" }, 400,
                "placement_types is required: it must be a list");
            var impression = new Dictionary<string, object>
            {
                ["match_id"] = "match-6", ["campaign_id"] = "camp-1", ["creative_id"] = "crt-1", ["game_id"] = "game",
            };
            diegetic.ServeAd();
            Match match = await client.Match(new Scene { GameId = "game", UserId = "player" });
            Check(match.MatchId == "match-6", "the match has the number of its scene");
            await CheckRefusal(client, "/impressions", With(impression, "game_id", ""), 400, "game_id must be text that is not blank");
            const string NoMatch = "There is no unbilled match of this campaign and creative in this game.";
            foreach (string name in new[] { "match_id", "campaign_id", "creative_id" })
            {
                await CheckRefusal(client, "/impressions", With(impression, name, "other"), 409, NoMatch);
            }
            await CheckRefusal(client, "/impressions", With(impression, "match_id", null), 409, NoMatch);
            Check(diegetic.Impressions.Count == 0, "refused impressions are not billed");
            await client.Close();
        }

        private static Dictionary<string, object> With(Dictionary<string, object> body, string name, object value)
        {
            return new Dictionary<string, object>(body) { [name] = value };
        }

        private static async Task CheckRefusal(DiegeticClient client, string path, Dictionary<string, object> body, int status, string detail)
        {
            try
            {
                await client.Call("POST", path, body);
            }
            catch (DiegeticException error)
            {
                Check(error.Status == status && error.Detail == detail, path + " is refused, not " + error.Message);
                return;
            }
            Check(false, path + " is refused: " + detail);
        }

        private static async Task CheckJson()
        {
            var body = new Dictionary<string, object>
            {
                ["daily_cap_cents"] = null, ["names"] = new Dictionary<string, string> { ["a"] = "b" }, ["share"] = 0.5f, ["cents"] = 5L,
            };
            var transport = new Recorder();
            var client = new DiegeticClient(new DiegeticClientOptions { BaseUrl = Address, ApiKey = "key", Transport = transport });
            await client.Call("PATCH", "/campaigns/1", body);
            const string Expected = "{\"daily_cap_cents\":null,\"names\":{\"a\":\"b\"},\"share\":0.5,\"cents\":5}";
            Check(transport.Body == Expected, "null and dictionaries are written, not " + transport.Body);
            await client.Match(new Scene { GameId = "game", UserId = "player" });
            Check(transport.Body == "{\"game_id\":\"game\",\"user_id\":\"player\",\"game_context\":{}}", "unknown fields are left out");
            foreach (object value in new object[] { DateTime.UtcNow, double.NaN, float.PositiveInfinity, 'c', DayOfWeek.Monday, new object() })
            {
                CheckThrows<ArgumentException>(() => Json.Write(new[] { value }), "JSON cannot hold");
            }
            CheckThrows<ArgumentException>(() => Json.Write(new Dictionary<int, int> { [1] = 1 }), "JSON cannot hold the key");
        }

        private static void CheckArguments()
        {
            CheckThrows<ArgumentNullException>(() => new DiegeticClient(null), "options");
            CheckThrows<ArgumentNullException>(() => new FileOutbox(null), "path");
            CheckThrows<ArgumentException>(() => new MemoryOutbox(0), "capacity must be a whole number above 0, not 0");
            CheckThrows<ArgumentException>(() => new FileOutbox("x.jsonl", -1), "capacity must be a whole number above 0, not -1");
            CheckThrows<ArgumentException>(Create(null, "key"), "BaseUrl must be");
            const string noExtras = "BaseUrl must have no user name, password, query or fragment";
            CheckThrows<ArgumentException>(Create("http://user:secret@diegetic.test/api", "key"), noExtras);
            CheckThrows<ArgumentException>(Create("http://diegetic.test/api?a=1", "key"), noExtras);
            CheckThrows<ArgumentException>(Create(Address, null), "ApiKey is required");
            CheckThrows<ArgumentException>(Create(Address, "igk_secret\n"), "ApiKey must be ASCII");
            CheckThrows<ArgumentException>(Create(Address, "igk_secret\u00fc"), "ApiKey must be ASCII");
            CheckThrows<ArgumentException>(Create(Address, "key", 0), "MatchBudgetMs must be a number above 0, not 0");
        }

        private static Action Create(string baseUrl, string apiKey, int matchBudgetMs = 1)
        {
            var options = new DiegeticClientOptions { BaseUrl = baseUrl, ApiKey = apiKey, MatchBudgetMs = matchBudgetMs };
            return () => new DiegeticClient(options);
        }

        private static async Task CheckCalls()
        {
            var client = new DiegeticClient(new DiegeticClientOptions { BaseUrl = Address, ApiKey = "key" });
            Check((await FailedCall(client)).StartsWith("No answer from " + Address + "/profile: "), "the address is named");
            await client.Close();
            Check((await FailedCall(client, retryForMs: PatientMs * 60)).Contains("closed"), "a closed client calls nothing");
            client = new DiegeticClient(new DiegeticClientOptions { BaseUrl = Address, ApiKey = "key", Transport = new SignInPage() });
            Check(await FailedCall(client) == "Unexpected answer 200", "a page is no success");
            client = new DiegeticClient(new DiegeticClientOptions { BaseUrl = Address, ApiKey = "key", Transport = new LargeAnswer() });
            Check((await FailedCall(client)).EndsWith("larger than 33554432 bytes"), "a transport's large answer is refused, too");
        }

        /// <summary>A call that runs when the client is closed gets its answer.</summary>
        private static async Task CheckClosing()
        {
            var server = new TcpListener(IPAddress.Loopback, 0);
            server.Start();
            var client = new DiegeticClient(new DiegeticClientOptions
            {
                BaseUrl = "http://127.0.0.1:" + ((IPEndPoint)server.LocalEndpoint).Port, ApiKey = "key",
            });
            Task<object> call = client.Call("GET", "/profile");
            using (TcpClient connection = await server.AcceptTcpClientAsync())
            {
                NetworkStream stream = connection.GetStream();
                await stream.ReadAsync(new byte[65536], 0, 65536);
                await client.Close();
                byte[] answer = Encoding.ASCII.GetBytes("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}");
                await stream.WriteAsync(answer, 0, answer.Length);
                Check(await call is Dictionary<string, object>, "a running call gets its answer");
            }
            server.Stop();
        }

        /// <summary>Also one that waits for its next attempt.</summary>
        private static async Task CheckRepeatedCall()
        {
            var transport = new Busy();
            var client = new DiegeticClient(new DiegeticClientOptions { BaseUrl = Address, ApiKey = "key", Transport = transport });
            Task<string> call = FailedCall(client, retryForMs: PatientMs * 600);
            await transport.Asked.Task;
            await client.Close();
            Check(call.Wait(PatientMs), "closing ends a call");
        }

        /// <summary>A deletion whose first answer was lost finds nothing when it is repeated.</summary>
        private static async Task CheckRepeatedDeletion()
        {
            Check(await Deletion(null, 404) == null, "a lost answer deleted");
            Check(await Deletion(503, 404) == null, "a 503 deleted");
            Check(await Deletion(404) == "Not found.", "nothing is deleted at first");
            Check(await Deletion(429, 404) == "Not found.", "a refusal deletes nothing");
        }

        /// <summary>Null, or the detail of the error.</summary>
        private static async Task<string> Deletion(params int?[] statuses)
        {
            var client = ClientOf(new Scripted(statuses.Select(status => status == null
                ? null
                : new TransportResponse { Status = status.Value, Body = "{\"detail\":\"Not found.\"}" })));
            try
            {
                Check(await client.Call("DELETE", "/creatives/crt_1", retryForMs: PatientMs) == null, "a deletion has no body");
                return null;
            }
            catch (DiegeticException error)
            {
                return error.Detail;
            }
        }

        private static async Task CheckPages()
        {
            var transport = new Scripted(new[] { Page("[1]", "a%2B"), Page("[2]", "b"), Page("[3]", null) });
            IReadOnlyList<object> pages = await ClientOf(transport).CallPages("/earnings?days=31");
            Check(Json.Write(pages) == "[[1],[2],[3]]", "every page is read");
            string urls = string.Join(" ", transport.Urls.Select(url => url.Substring(Address.Length)));
            const string Expected = "/earnings?days=31 /earnings?days=31&cursor=a%2B /earnings?days=31&cursor=b";
            Check(urls == Expected, "the next page follows, not " + urls);
            try
            {
                await ClientOf(new Scripted(new[] { Page("[]", "a"), Page("[]", "a") })).CallPages("/placements");
                Check(false, "a cursor that comes twice is an error");
            }
            catch (DiegeticException error)
            {
                Check(error.Detail == "The cursor a came twice: the pages do not end", error.Detail);
            }
        }

        private static TransportResponse Page(string body, string cursor)
        {
            string link = cursor == null ? null : "</api/list?limit=500&cursor=" + cursor + ">; rel=\"next\"";
            return new TransportResponse { Status = 200, Body = body, Header = name => name == "Link" ? link : null };
        }

        private static DiegeticClient ClientOf(ITransport transport)
        {
            return new DiegeticClient(new DiegeticClientOptions { BaseUrl = Address, ApiKey = "key", Transport = transport });
        }

        private static async Task CheckFlush()
        {
            var diegetic = new FakeDiegetic();
            DiegeticClient client = diegetic.Client(new DiegeticClientOptions { MatchBudgetMs = PatientMs });
            Match match = await client.Match(new Scene { GameId = "game", UserId = "player" });
            diegetic.Fail(byTimeout: true);
            client.RecordImpression(match);
            Task<int> flush = client.Flush(PatientMs * 60);
            await client.Close(1);
            Check(flush.Wait(PatientMs) && flush.Result == 1, "closing ends a flush");
        }

        private static async Task<string> FailedCall(DiegeticClient client, int retryForMs = 0)
        {
            try
            {
                await client.Call("GET", "/profile", retryForMs: retryForMs);
                return "no error";
            }
            catch (DiegeticException error)
            {
                return error.Detail;
            }
        }

        /// <summary>Opens the file in this process, and asks another one of this program whether it is in use.</summary>
        private static void CheckLock(string path)
        {
            var outbox = new FileOutbox(path, fsync: true);
            Check(IsInUseElsewhere(path), "a file is locked for another process");
            Check(IsInUse(path), "a file is locked in its process");
            outbox.Close();
            Check(!IsInUseElsewhere(path), "a closed file is not locked");
            CheckThrows<ObjectDisposedException>(() => outbox.Add(Entry("mat_1")), "is closed");
        }

        /// <summary>A limit of the file's size cuts a line off, as a full disk does.</summary>
        private static void CheckFullDisk(string path)
        {
            var outbox = new FileOutbox(path);
            outbox.Add(Entry("mat_1"));
            if (!LimitFileSize((new FileInfo(path).Length + 20).ToString()))
            {
                Console.Error.WriteLine("A full disk is not tried: there is no prlimit.");
                return;
            }
            CheckThrows<IOException>(() => outbox.Add(Entry("mat_2")), "");
            CheckThrows<IOException>(() => outbox.Add(Entry("mat_3")), "");
            LimitFileSize("unlimited");
            outbox.Add(Entry("mat_4"));
            outbox.Remove("mat_1");
            outbox.Close();
            CheckEntries(path, "mat_2 mat_3 mat_4");
        }

        private static void CheckReplacing(string path)
        {
            var outbox = new FileOutbox(path);
            outbox.Add(Entry("mat_1"));
            for (int index = 0; index < 500; index += 1)
            {
                outbox.Add(Entry("mat_x" + index));
                outbox.Remove("mat_x" + index);
            }
            outbox.Add(Entry("mat_2"));
            File.Delete(path);
            Directory.CreateDirectory(path);
            CheckThrows<Exception>(() => outbox.Remove("mat_2"), "");
            CheckThrows<Exception>(() => outbox.Add(Entry("mat_3")), "");
            Directory.Delete(path);
            outbox.Add(Entry("mat_4"));
            outbox.Close();
            CheckEntries(path, "mat_1 mat_3 mat_4");
        }

        /// <summary>Not that of clearing up.</summary>
        private static void CheckFirstError(string path)
        {
            Directory.CreateDirectory(path + ".next");
            try
            {
                new FileOutbox(path);
            }
            catch (UnauthorizedAccessException error)
            {
                Check(!error.StackTrace.Contains("Delete"), "the first error is thrown");
            }
            Directory.Delete(path + ".next");
            CheckEntries(path, "");
        }

        private static void CheckFolder(string folder)
        {
            string before = Directory.GetCurrentDirectory();
            Directory.SetCurrentDirectory(folder);
            var outbox = new FileOutbox("relative.jsonl");
            Directory.SetCurrentDirectory(before);
            for (int index = 0; index < 600; index += 1)
            {
                outbox.Add(Entry("mat_" + index));
                outbox.Remove("mat_" + index);
            }
            outbox.Add(Entry("mat_last"));
            outbox.Remove("mat_last");
            outbox.Add(Entry("mat_last"));
            outbox.Close();
            CheckEntries(Path.Combine(folder, "relative.jsonl"), "mat_last");
        }

        private static void CheckEntries(string path, string expectedIds)
        {
            var outbox = new FileOutbox(path);
            string ids = string.Join(" ", outbox.Load().Select(entry => entry.MatchId));
            Check(ids == expectedIds, expectedIds + " is in the file, not " + ids);
            outbox.Close();
        }

        private static OutboxEntry Entry(string matchId)
        {
            long nowMs = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds();
            return new OutboxEntry { MatchId = matchId, CampaignId = "c", CreativeId = "r", GameId = "g", RecordedAtMs = nowMs };
        }

        /// <summary>False where there is no prlimit.</summary>
        private static bool LimitFileSize(string bytes)
        {
            try
            {
                string arguments = "--pid " + Process.GetCurrentProcess().Id + " --fsize=" + bytes + ":";
                using (Process process = Process.Start(new ProcessStartInfo("prlimit", arguments) { UseShellExecute = false }))
                {
                    process.WaitForExit();
                    return process.ExitCode == 0;
                }
            }
            catch (System.ComponentModel.Win32Exception)
            {
                return false;
            }
        }

        private static bool IsInUseElsewhere(string path)
        {
            string program = System.Reflection.Assembly.GetExecutingAssembly().Location;
            string runtime = Process.GetCurrentProcess().MainModule.FileName;
            var start = new ProcessStartInfo(runtime, "\"" + program + "\" \"" + path + "\"") { UseShellExecute = false };
            using (Process process = Process.Start(start))
            {
                process.WaitForExit();
                return process.ExitCode == 0;
            }
        }

        private static bool IsInUse(string path)
        {
            try
            {
                new FileOutbox(path).Close();
                return false;
            }
            catch (IOException error)
            {
                return error.Message.Contains("is used by another process");
            }
        }

        private static void CheckThrows<T>(Action action, string message) where T : Exception
        {
            try
            {
                action();
            }
            catch (T error)
            {
                Check(error.Message.Contains(message) && !error.Message.Contains("secret"), message);
                return;
            }
            Check(false, message);
        }

        private static void Check(bool isTrue, string expectation)
        {
            if (!isTrue) throw new InvalidOperationException("Not so: " + expectation);
        }

        private sealed class Recorder : ITransport
        {
            public string Body { get; private set; }

            public Task<TransportResponse> Send(TransportRequest request, CancellationToken cancellation)
            {
                Body = request.Body;
                return Task.FromResult(new TransportResponse { Status = 200, Body = "{}" });
            }
        }

        /// <summary>Gives the answers in order; null loses one.</summary>
        private sealed class Scripted : ITransport
        {
            private readonly Queue<TransportResponse> _answers;

            public Scripted(IEnumerable<TransportResponse> answers)
            {
                _answers = new Queue<TransportResponse>(answers);
            }

            public List<string> Urls { get; } = new List<string>();

            public Task<TransportResponse> Send(TransportRequest request, CancellationToken cancellation)
            {
                Urls.Add(request.Url);
                TransportResponse answer = _answers.Dequeue();
                if (answer == null) throw new IOException("lost");
                return Task.FromResult(answer);
            }
        }

        /// <summary>Asks for an hour.</summary>
        private sealed class Busy : ITransport
        {
            public TaskCompletionSource<bool> Asked { get; } =
                new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);

            public Task<TransportResponse> Send(TransportRequest request, CancellationToken cancellation)
            {
                Asked.TrySetResult(true);
                return Task.FromResult(new TransportResponse { Status = 503, Header = name => name == "Retry-After" ? "3600" : null });
            }
        }

        private sealed class LargeAnswer : ITransport
        {
            public Task<TransportResponse> Send(TransportRequest request, CancellationToken cancellation)
            {
                return Task.FromResult(new TransportResponse { Status = 200, Body = new string(' ', request.MaxAnswerBytes) + "{}" });
            }
        }

        private sealed class SignInPage : ITransport
        {
            public Task<TransportResponse> Send(TransportRequest request, CancellationToken cancellation)
            {
                return Task.FromResult(new TransportResponse { Status = 200, Body = "<html>Sign in</html>" });
            }
        }
    }

    /// <summary>One scenario with one client.</summary>
    internal sealed class Run
    {
        private const int PatientBudgetMs = 10000;
        private const int EventTimeoutMs = 10000;
        private readonly Dictionary<string, object> _scene;
        private readonly Dictionary<string, object> _webhook;
        private readonly Dictionary<string, object> _placement;
        private readonly Dictionary<string, object> _scenario;
        private readonly string _baseUrl;
        private readonly string _path;
        private readonly List<ClientEvent> _events = new List<ClientEvent>();
        private Match _match;
        private DiegeticClient _client;

        public Run(Dictionary<string, object> file, Dictionary<string, object> scenario, string baseUrl, string path)
        {
            _scene = (Dictionary<string, object>)file["scene"];
            _webhook = (Dictionary<string, object>)file["webhook"];
            _placement = (Dictionary<string, object>)file["placement"];
            _scenario = scenario;
            _baseUrl = baseUrl;
            _path = path;
            var impression = (Dictionary<string, object>)file["impression"];
            _match = new Match
            {
                MatchId = (string)impression["match_id"],
                CampaignId = (string)impression["campaign_id"],
                CreativeId = (string)impression["creative_id"],
                GameId = (string)impression["game_id"],
            };
        }

        public async Task<object> Perform()
        {
            _client = Open();
            var results = new List<object>();
            foreach (Dictionary<string, object> step in (List<object>)_scenario["steps"]) results.Add(await Do(step));
            await _client.Close(0);
            List<object> events;
            lock (_events) events = _events.Select(Described).ToList<object>();
            return new Dictionary<string, object>
            {
                ["name"] = _scenario["name"], ["results"] = results, ["events"] = events,
            };
        }

        private DiegeticClient Open()
        {
            int capacity = Number(_scenario, "capacity", MemoryOutbox.DefaultCapacity);
            return new DiegeticClient(new DiegeticClientOptions
            {
                BaseUrl = _baseUrl,
                ApiKey = "test-key",
                MatchBudgetMs = Number(_scenario, "matchBudgetMs", PatientBudgetMs),
                Outbox = _scenario.ContainsKey("file") ? (IOutbox)new FileOutbox(_path, capacity) : new MemoryOutbox(capacity),
                OnEvent = clientEvent =>
                {
                    lock (_events) _events.Add(clientEvent);
                },
            });
        }

        private async Task<object> Do(Dictionary<string, object> step)
        {
            int timeoutMs = Number(step, "timeoutMs", 0);
            switch ((string)step["do"])
            {
                case "match":
                    Match match = await _client.Match(Scene());
                    _match = match ?? _match;
                    return match == null ? null : "ad";
                case "recordImpression":
                    return _client.RecordImpression(Impression(step));
                case "enablePlacement":
                    return await EnablePlacement();
                case "flush":
                    return await _client.Flush(timeoutMs);
                case "close":
                    return await _client.Close(timeoutMs);
                case "awaitEvent":
                    return await AwaitEvent((string)step["type"]);
                case "verifyWebhook":
                    return VerifiedId((string)step["signature"]);
                default:
                    _client = Open();
                    return true;
            }
        }

        /// <summary>Null, or the detail of the error.</summary>
        private async Task<string> EnablePlacement()
        {
            var types = ((List<object>)_placement["placement_types"]).Cast<string>().ToList();
            try
            {
                await _client.EnablePlacement("moonlit-keep", (string)_placement["creator_id"], types);
                return null;
            }
            catch (DiegeticException error)
            {
                return error.Detail;
            }
        }

        private string VerifiedId(string signature)
        {
            long nowMs = (long)(double)_webhook["nowMs"];
            try
            {
                return (string)Webhooks.VerifyWebhook(
                    (string)_webhook["body"], signature, (string)_webhook["secret"], nowMs: () => nowMs)["id"];
            }
            catch (WebhookSignatureException)
            {
                return "refused";
            }
        }

        private Scene Scene()
        {
            var context = (Dictionary<string, object>)_scene["game_context"];
            return new Scene
            {
                GameId = (string)_scene["game_id"],
                UserId = (string)_scene["user_id"],
                GameContext = new GameContext { Location = (string)context["location"] },
            };
        }

        private Match Impression(Dictionary<string, object> step)
        {
            return new Match
            {
                MatchId = step.TryGetValue("match_id", out object id) ? (string)id : _match.MatchId,
                CampaignId = _match.CampaignId,
                CreativeId = _match.CreativeId,
                GameId = _match.GameId,
            };
        }

        private async Task<object> AwaitEvent(string type)
        {
            for (int waitedMs = 0; waitedMs < EventTimeoutMs; waitedMs += 10)
            {
                lock (_events)
                {
                    if (_events.Any(clientEvent => clientEvent.Type == type)) return true;
                }
                await Task.Delay(10);
            }
            return false;
        }

        private static int Number(Dictionary<string, object> fields, string name, int usual)
        {
            return fields.TryGetValue(name, out object value) ? (int)(double)value : usual;
        }

        private static Dictionary<string, object> Described(ClientEvent clientEvent)
        {
            return new Dictionary<string, object>
            {
                ["type"] = clientEvent.Type,
                ["match_id"] = clientEvent.MatchId,
                ["status"] = clientEvent.Status,
                ["detail"] = clientEvent.Detail,
                ["reason"] = clientEvent.Reason,
                ["attempts"] = clientEvent.Attempts,
                ["delay_ms"] = clientEvent.DelayMs,
                ["charged_cents"] = clientEvent.ChargedCents,
            };
        }
    }
}
