using System;
using System.Collections.Generic;

namespace Diegetic
{
    /// <summary>An ad for a scene. Keep it until the player has seen it.</summary>
    public sealed class Match
    {
        public string MatchId;
        public string CampaignId;
        public string AdvertiserId;
        public string CreativeId;
        /// <summary>That of the scene; RecordImpression needs it.</summary>
        public string GameId;
        /// <summary>The line to insert: never empty.</summary>
        public string NarrativeHook;
        public string CreativeType;
        public string BrandName;
        public string ProductName;
        public string Tagline;
        public string Tone;
        /// <summary>Overrides for the scene renderer: lighting, effects, camera, mood and location, where set.</summary>
        public IReadOnlyDictionary<string, string> BiasedPipeline;
        public double AffinityScore;
        public int CpmBidCents;

        /// <summary>Null unless the service answers an ad: a proxy's page is none.</summary>
        internal static Match From(Answer answer, string gameId)
        {
            if (answer.Status != 200 || answer.Text("match_id") == null) return null;
            var pipeline = new Dictionary<string, string>();
            if (answer.Field("biased_pipeline") is Dictionary<string, object> overrides)
            {
                foreach (KeyValuePair<string, object> entry in overrides) pipeline[entry.Key] = entry.Value as string;
            }
            return new Match
            {
                MatchId = answer.Text("match_id"),
                CampaignId = answer.Text("campaign_id"),
                AdvertiserId = answer.Text("advertiser_id"),
                CreativeId = answer.Text("creative_id"),
                GameId = gameId,
                NarrativeHook = answer.Text("narrative_hook"),
                CreativeType = answer.Text("creative_type"),
                BrandName = answer.Text("brand_name"),
                ProductName = answer.Text("product_name"),
                Tagline = answer.Text("tagline"),
                Tone = answer.Text("tone"),
                BiasedPipeline = pipeline,
                AffinityScore = answer.Number("affinity_score"),
                CpmBidCents = (int)Math.Round(answer.Number("cpm_bid_cents")),
            };
        }
    }
}
