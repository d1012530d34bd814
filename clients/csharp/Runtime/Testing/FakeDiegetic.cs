using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;
using System.Threading.Tasks;

namespace Diegetic.Testing
{
    /// <summary>
    /// The service for tests of a game: in memory, without network. Client() is a real client that talks to it. By default
    /// each scene gets an ad.
    /// </summary>
    public sealed class FakeDiegetic : ITransport
    {
        private const string CampaignId = "camp-1";
        private const string CreativeId = "crt-1";
        private const string Text = "text that is not blank";
        private const string Object = "an object";
        private const string List = "a list";

        private static readonly Dictionary<string, string> MatchFields = new Dictionary<string, string>
        {
            ["game_id"] = Text, ["user_id"] = Text, ["game_context"] = Object,
        };

        private static readonly Dictionary<string, string> ImpressionFields = new Dictionary<string, string>
        {
            ["campaign_id"] = Text, ["creative_id"] = Text, ["game_id"] = Text,
        };

        private static readonly Dictionary<string, string> PlacementFields = new Dictionary<string, string>
        {
            ["creator_id"] = Text, ["placement_types"] = List,
        };

        private readonly object _gate = new object();
        private readonly HashSet<string> _matches = new HashSet<string>();
        private Behaviour _behaviour = Behaviour.Ad;
        private string _hook;
        private string _noMatchReason;

        private enum Behaviour
        {
            Ad,
            NoMatch,
            Unavailable,
            Timeout,
        }

        /// <summary>Every scene that was sent, oldest first, whatever its answer.</summary>
        public List<Dictionary<string, object>> Scenes { get; } = new List<Dictionary<string, object>>();

        /// <summary>Every impression that was billed, oldest first, each once.</summary>
        public List<Dictionary<string, object>> Impressions { get; } = new List<Dictionary<string, object>>();

        /// <summary>A client of this service. Close it at the end of the test.</summary>
        public DiegeticClient Client(DiegeticClientOptions options = null)
        {
            options = options ?? new DiegeticClientOptions();
            options.BaseUrl = options.BaseUrl ?? "http://diegetic.invalid/api";
            options.ApiKey = options.ApiKey ?? "fake";
            options.Transport = this;
            return new DiegeticClient(options);
        }

        /// <summary>From now on scenes get an ad with this line.</summary>
        public void ServeAd(string narrativeHook = null)
        {
            Set(Behaviour.Ad);
            _hook = narrativeHook;
        }

        /// <summary>From now on scenes get no ad.</summary>
        public void ServeNoAd(string reason = "no_eligible_campaign")
        {
            Set(Behaviour.NoMatch);
            _noMatchReason = reason;
        }

        /// <summary>From now on every request gets 503, or no answer at all, until ServeAd or ServeNoAd.</summary>
        public void Fail(bool byTimeout = false)
        {
            Set(byTimeout ? Behaviour.Timeout : Behaviour.Unavailable);
        }

        public async Task<TransportResponse> Send(TransportRequest request, CancellationToken cancellation)
        {
            var body = (Dictionary<string, object>)Json.Parse(request.Body ?? "{}");
            lock (_gate)
            {
                if (request.Url.EndsWith("/match")) Scenes.Add(body);
                if (_behaviour != Behaviour.Timeout) return AnswerTo(request, body);
            }
            await Task.Delay(Timeout.Infinite, cancellation).ConfigureAwait(false);
            throw new TimeoutException();
        }

        private TransportResponse AnswerTo(TransportRequest request, Dictionary<string, object> body)
        {
            if (_behaviour == Behaviour.Unavailable) return Refusal(503, "Service temporarily unavailable.");
            if (request.Url.EndsWith("/match")) return RefusalOf(body, MatchFields) ?? MatchNow();
            if (request.Url.EndsWith("/impressions")) return RefusalOf(body, ImpressionFields) ?? Record(body);
            if (request.Method == "POST" && request.Url.Contains("/placements/"))
            {
                return RefusalOf(body, PlacementFields) ?? Enable(request.Url, body);
            }
            return Refusal(404, "FakeDiegetic does not know " + request.Url + ".");
        }

        private void Set(Behaviour behaviour)
        {
            lock (_gate) _behaviour = behaviour;
        }

        private TransportResponse MatchNow()
        {
            if (_behaviour == Behaviour.NoMatch)
            {
                string reason = _noMatchReason;
                return new TransportResponse { Status = 204, Header = name => name == "X-No-Match-Reason" ? reason : null };
            }
            string matchId = "match-" + Scenes.Count;
            _matches.Add(matchId);
            return Answer(200, new Dictionary<string, object>
            {
                ["match_id"] = matchId,
                ["campaign_id"] = CampaignId,
                ["advertiser_id"] = "adv-1",
                ["creative_id"] = CreativeId,
                ["narrative_hook"] = _hook ?? "The innkeeper pours you a Hearthwell ale.",
                ["creative_type"] = "narrative_hook",
                ["brand_name"] = "Hearthwell",
                ["product_name"] = null,
                ["tagline"] = null,
                ["tone"] = "positive",
                ["biased_pipeline"] = new Dictionary<string, object>(),
                ["affinity_score"] = 0,
                ["cpm_bid_cents"] = 1000,
            });
        }

        private TransportResponse Record(Dictionary<string, object> impression)
        {
            object named;
            impression.TryGetValue("match_id", out named);
            string matchId = named as string;
            bool isServed = matchId != null && _matches.Contains(matchId);
            if (!isServed || !CampaignId.Equals(impression["campaign_id"]) || !CreativeId.Equals(impression["creative_id"]))
            {
                return Refusal(409, "There is no unbilled match of this campaign and creative in this game.");
            }
            if (Impressions.All(billed => (string)billed["match_id"] != matchId)) Impressions.Add(impression);
            return Answer(201, new Dictionary<string, object> { ["impression_id"] = "imp-" + matchId, ["charged_cents"] = 1.0 });
        }

        private static TransportResponse Enable(string url, Dictionary<string, object> body)
        {
            string gameId = Uri.UnescapeDataString(url.Substring(url.LastIndexOf('/') + 1));
            return Answer(201, new Dictionary<string, object>(body) { ["game_id"] = gameId, ["is_active"] = true });
        }

        /// <summary>The service's answer to a body without a required field; null when none is missing.</summary>
        private static TransportResponse RefusalOf(Dictionary<string, object> body, Dictionary<string, string> required)
        {
            foreach (var field in required)
            {
                object value;
                body.TryGetValue(field.Key, out value);
                if (value == null) return Refusal(400, field.Key + " is required: it must be " + field.Value);
                if (!IsOfKind(value, field.Value)) return Refusal(400, field.Key + " must be " + field.Value);
            }
            return null;
        }

        private static bool IsOfKind(object value, string kind)
        {
            if (kind == Text) return value is string text && text.Trim() != "";
            return kind == List ? value is List<object> : value is Dictionary<string, object>;
        }

        private static TransportResponse Refusal(int status, string detail)
        {
            return Answer(status, new Dictionary<string, object> { ["detail"] = detail });
        }

        private static TransportResponse Answer(int status, Dictionary<string, object> body)
        {
            return new TransportResponse { Status = status, Body = Json.Write(body), Header = _ => null };
        }
    }
}
