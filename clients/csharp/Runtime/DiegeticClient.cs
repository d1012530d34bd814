using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Diegetic
{
    public sealed class DiegeticClientOptions
    {
        /// <summary>The address with its prefix, such as https://ads.example.com/api.</summary>
        public string BaseUrl;
        /// <summary>A game server needs the scope `serving` and nothing else.</summary>
        public string ApiKey;
        /// <summary>How long a scene waits for its ad.</summary>
        public int MatchBudgetMs = 150;
        /// <summary>Where impressions wait for their answer. Default: a MemoryOutbox.</summary>
        public IOutbox Outbox;
        /// <summary>Default: an HttpTransport, which is disposed after Close. Dispose your own yourself.</summary>
        public ITransport Transport;
        /// <summary>Called on any thread; return quickly. What it throws is ignored.</summary>
        public Action<ClientEvent> OnEvent;
    }

    /// <summary>Asks for ads within a budget, and delivers impressions until they have a final answer. Thread-safe.</summary>
    public sealed class DiegeticClient
    {
        private const int ImpressionTimeoutMs = 10000;
        private const int CallTimeoutMs = 30000;
        private const int DefaultFlushMs = 10000;
        // Of a match or a record. A proxy that sends without end must not fill the memory.
        private const int MaxAnswerBytes = 1024 * 1024;
        // Longer lists are read in pages.
        private const int MaxCallAnswerBytes = 32 * 1024 * 1024;

        private readonly string _baseUrl;
        private readonly string _apiKey;
        private readonly int _matchBudgetMs;
        private readonly ITransport _transport;
        // Null when the transport was given.
        private readonly HttpTransport _ownTransport;
        private readonly Action<ClientEvent> _onEvent;
        private readonly ImpressionSender _sender;
        private readonly object _exchangesGate = new object();
        private readonly CancellationTokenSource _closed = new CancellationTokenSource();
        private int _exchanges;
        private bool _isClosed;

        public DiegeticClient(DiegeticClientOptions options)
        {
            if (options == null) throw new ArgumentNullException(nameof(options));
            _baseUrl = CheckedBaseUrl(options.BaseUrl);
            _apiKey = CheckedApiKey(options.ApiKey);
            if (options.MatchBudgetMs <= 0)
            {
                throw new ArgumentException("MatchBudgetMs must be a number above 0, not " + options.MatchBudgetMs);
            }
            _matchBudgetMs = options.MatchBudgetMs;
            _ownTransport = options.Transport == null ? new HttpTransport() : null;
            _transport = options.Transport ?? _ownTransport;
            _onEvent = options.OnEvent;
            _sender = new ImpressionSender(
                options.Outbox ?? new MemoryOutbox(),
                (entry, closed) => Send(
                    "POST", "/impressions", Json.Write(ImpressionSender.Body(entry)), ImpressionTimeoutMs, MaxAnswerBytes,
                    null, closed),
                Report);
        }

        /// <summary>How many impressions have no final answer yet.</summary>
        public int PendingImpressions => _sender.Count;

        /// <summary>
        /// The ad for a scene, or null: no ad, no answer within the budget, an error. Sent once and never throws. A match
        /// whose answer came too late lapses by itself and costs nothing.
        /// </summary>
        public async Task<Match> Match(Scene scene)
        {
            try
            {
                string body = Json.Write(scene.ToJson());
                Answer answer = await Send("POST", "/match", body, _matchBudgetMs, MaxAnswerBytes, null).ConfigureAwait(false);
                Match match = Diegetic.Match.From(answer, scene.GameId);
                if (match != null) return match;
                Report(answer.Status == 204
                    ? new ClientEvent { Type = "no_match", Reason = answer.Header("X-No-Match-Reason") }
                    : new ClientEvent { Type = "match_failed", Status = answer.Status, Detail = answer.Detail });
            }
            catch (Exception error)
            {
                Report(new ClientEvent { Type = "match_failed", Detail = error.GetBaseException().Message });
            }
            return null;
        }

        /// <summary>
        /// Call it when the player has seen the ad. Returns at once: true when the outbox has accepted the impression. The
        /// same match again is billed once.
        /// </summary>
        public bool RecordImpression(Match match)
        {
            return _sender.Add(new OutboxEntry
            {
                MatchId = match.MatchId,
                CampaignId = match.CampaignId,
                CreativeId = match.CreativeId,
                GameId = match.GameId,
                RecordedAtMs = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds(),
            });
        }

        /// <summary>Waits until every impression has its final answer, or for the time. Returns how many are still pending.</summary>
        public async Task<int> Flush(int timeoutMs = DefaultFlushMs)
        {
            await _sender.Flush(timeoutMs).ConfigureAwait(false);
            return _sender.Count;
        }

        /// <summary>
        /// Flushes, then stops. Returns how many impressions have no final answer: a file outbox keeps them for the next
        /// process, a memory outbox loses them and reports each.
        /// </summary>
        public async Task<int> Close(int timeoutMs = DefaultFlushMs)
        {
            if (_sender.IsClosed) return _sender.Count;
            await Flush(timeoutMs).ConfigureAwait(false);
            _sender.Close();
            lock (_exchangesGate) _isClosed = true;
            _closed.Cancel();
            CloseConnections();
            return _sender.Count;
        }

        /// <summary>Once the client is closed and no exchange runs: a running Call gets its answer.</summary>
        private void CloseConnections()
        {
            lock (_exchangesGate)
            {
                if (!_isClosed || _exchanges > 0) return;
            }
            _ownTransport?.Dispose();
        }

        /// <summary>Says which ads a game takes: POST /placements/{game_id}. Needs the scope `developer`.</summary>
        public Task<object> EnablePlacement(
            string gameId, string creatorId, IReadOnlyList<string> placementTypes, int retryForMs = 0)
        {
            var body = new Dictionary<string, object>
            {
                ["creator_id"] = creatorId, ["placement_types"] = placementTypes,
            };
            return Call("POST", "/placements/" + Uri.EscapeDataString(gameId), body, retryForMs: retryForMs);
        }

        /// <summary>
        /// Any other call of the API: path below the base address, body and answer as in Json. A POST carries an
        /// Idempotency-Key that stays the same over retries. Throws DiegeticException unless it succeeds, and
        /// ArgumentException for a body that is not JSON.
        /// </summary>
        public async Task<object> Call(
            string method, string path, IDictionary<string, object> body = null, string idempotencyKey = null,
            int retryForMs = 0)
        {
            return (await Perform(method, path, body, idempotencyKey, retryForMs).ConfigureAwait(false)).Body;
        }

        /// <summary>
        /// The answers of a GET whose list may come in pages, from the first to the last page. The path may have a query, but
        /// no cursor. retryForMs is for each page.
        /// </summary>
        public async Task<IReadOnlyList<object>> CallPages(string path, int retryForMs = 0)
        {
            var pages = new List<object>();
            var cursors = new HashSet<string>();
            for (string pagePath = path;;)
            {
                Answer answer = await Perform("GET", pagePath, null, null, retryForMs).ConfigureAwait(false);
                pages.Add(answer.Body);
                string cursor = answer.NextCursor;
                if (cursor == null) return pages;
                if (!cursors.Add(cursor))
                {
                    string detail = "The cursor " + cursor + " came twice: the pages do not end";
                    throw new DiegeticException("GET " + path, answer.Status, detail, null);
                }
                pagePath = path + (path.Contains("?") ? "&" : "?") + "cursor=" + cursor;
            }
        }

        private async Task<Answer> Perform(
            string method, string path, IDictionary<string, object> body, string idempotencyKey, int retryForMs)
        {
            string key = method == "POST" ? idempotencyKey ?? Guid.NewGuid().ToString() : null;
            string text = body == null ? null : Json.Write(body);
            Stopwatch elapsed = Stopwatch.StartNew();
            bool mayBeDeleted = false;
            for (int attempts = 1;; attempts += 1)
            {
                Answer answer = null;
                Exception cause = null;
                try
                {
                    answer = await Send(method, path, text, CallTimeoutMs, MaxCallAnswerBytes, key).ConfigureAwait(false);
                    if (answer.IsComplete) return answer;
                    if (answer.Status == 404 && answer.IsFinal && mayBeDeleted) return answer.WithoutBody();
                }
                catch (Exception error)
                {
                    cause = error.GetBaseException();
                }
                // An attempt without a usable answer may have taken effect.
                mayBeDeleted |= method == "DELETE" && (answer == null || answer.Status >= 500);
                int delayMs = Retry.DelayMs(attempts, answer?.RetryAfterMs ?? 0);
                bool isOver = _closed.IsCancellationRequested || elapsed.ElapsedMilliseconds + delayMs >= retryForMs;
                if ((answer != null && answer.IsFinal) || isOver)
                {
                    throw new DiegeticException(method + " " + path, answer?.Status, answer?.Detail ?? cause.Message, cause);
                }
                // Without an exception when the client is closed.
                await Task.WhenAny(Task.Delay(delayMs, _closed.Token)).ConfigureAwait(false);
            }
        }

        private async Task<Answer> Send(
            string method, string path, string body, int timeoutMs, int maxAnswerBytes, string idempotencyKey,
            CancellationToken cancelled = default(CancellationToken))
        {
            var headers = new Dictionary<string, string> { ["Authorization"] = "Bearer " + _apiKey };
            if (idempotencyKey != null) headers["Idempotency-Key"] = idempotencyKey;
            var request = new TransportRequest
            {
                Method = method,
                Url = _baseUrl + path,
                Headers = headers,
                Body = body,
                MaxAnswerBytes = maxAnswerBytes,
            };
            lock (_exchangesGate)
            {
                if (_isClosed) throw NoAnswer(request, new InvalidOperationException("the client is closed"));
                _exchanges += 1;
            }
            try
            {
                return await Exchange(request, timeoutMs, cancelled).ConfigureAwait(false);
            }
            finally
            {
                lock (_exchangesGate) _exchanges -= 1;
                CloseConnections();
            }
        }

        /// <summary>
        /// Throws when no answer was read within the time, or it is larger than the limit, even if the transport ignores the
        /// cancellation and the limit.
        /// </summary>
        private async Task<Answer> Exchange(TransportRequest request, int timeoutMs, CancellationToken cancelled)
        {
            using (var cancellation = CancellationTokenSource.CreateLinkedTokenSource(cancelled))
            {
                // On another thread: a transport may block before it returns its task.
                Task<TransportResponse> answered = Task.Run(() => _transport.Send(request, cancellation.Token));
                Task first = await Task.WhenAny(answered, Task.Delay(timeoutMs, cancellation.Token)).ConfigureAwait(false);
                if (first == answered)
                {
                    cancellation.Cancel();
                    if (answered.IsFaulted) throw NoAnswer(request, answered.Exception);
                    if (answered.IsCanceled) throw NoAnswer(request, new TaskCanceledException());
                    TransportResponse response = await answered.ConfigureAwait(false);
                    if (response.Body?.Length > request.MaxAnswerBytes) throw NoAnswer(request, request.AnswerTooLarge());
                    return new Answer(response);
                }
                cancellation.Cancel();
                // Nobody waits for it any more: its failure is no unobserved one.
                _ = answered.ContinueWith(task => task.Exception, TaskContinuationOptions.OnlyOnFaulted);
                throw NoAnswer(request, new TimeoutException("timeout after " + timeoutMs + " ms"));
            }
        }

        private static Exception NoAnswer(TransportRequest request, Exception cause)
        {
            return new IOException("No answer from " + request.Url + ": " + cause.GetBaseException().Message);
        }

        private void Report(ClientEvent clientEvent)
        {
            try
            {
                _onEvent?.Invoke(clientEvent);
            }
            catch (Exception)
            {
                // A listener must not stop a scene or the delivery of impressions.
            }
        }

        /// <summary>The message does not contain the key: it may be logged.</summary>
        private static string CheckedApiKey(string apiKey)
        {
            if (string.IsNullOrEmpty(apiKey)) throw new ArgumentException("ApiKey is required: create one, see docs/operating.md");
            if (apiKey.All(character => character >= '!' && character <= '~')) return apiKey;
            throw new ArgumentException("ApiKey must be ASCII characters without spaces and line ends");
        }

        private static string CheckedBaseUrl(string baseUrl)
        {
            bool isAddress = Uri.TryCreate(baseUrl, UriKind.Absolute, out Uri address)
                && (address.Scheme == Uri.UriSchemeHttp || address.Scheme == Uri.UriSchemeHttps);
            // Messages leave the address out, which may have a password: they may be logged.
            if (isAddress && (address.UserInfo + address.Query + address.Fragment).Length > 0)
            {
                throw new ArgumentException("BaseUrl must have no user name, password, query or fragment");
            }
            if (isAddress) return baseUrl.TrimEnd('/');
            throw new ArgumentException("BaseUrl must be an http or https address, such as http://127.0.0.1:8080/api");
        }
    }
}
