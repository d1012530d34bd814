using System.Collections.Generic;
using System.Linq;

namespace Diegetic
{
    /// <summary>The body of POST /match. GameId, UserId and GameContext are required.</summary>
    public sealed class Scene
    {
        public string GameId;
        public string UserId;
        public string SessionId;
        public GameContext GameContext = new GameContext();
        public PlayerGeo PlayerGeo;

        internal Dictionary<string, object> ToJson()
        {
            return Fields.Given(new Dictionary<string, object>
            {
                ["game_id"] = GameId,
                ["user_id"] = UserId,
                ["session_id"] = SessionId,
                ["game_context"] = GameContext.ToJson(),
                ["player_geo"] = PlayerGeo?.ToJson(),
            });
        }
    }

    /// <summary>The scene that is being generated. The more is filled in, the better ads fit.</summary>
    public sealed class GameContext
    {
        public string ThemeId;
        public string Category;
        public string Narrative;
        public string Location;
        public IReadOnlyList<string> MoodTags;
        public IReadOnlyList<string> Actions;

        internal Dictionary<string, object> ToJson()
        {
            return Fields.Given(new Dictionary<string, object>
            {
                ["theme_id"] = ThemeId,
                ["category"] = Category,
                ["narrative"] = Narrative,
                ["location"] = Location,
                ["mood_tags"] = MoodTags,
                ["actions"] = Actions,
            });
        }
    }

    /// <summary>Where the player is. Latitude and longitude only go together.</summary>
    public sealed class PlayerGeo
    {
        public string CountryCode;
        public string StateCode;
        public string CityName;
        public double? Latitude;
        public double? Longitude;

        internal Dictionary<string, object> ToJson()
        {
            return Fields.Given(new Dictionary<string, object>
            {
                ["country_code"] = CountryCode,
                ["state_code"] = StateCode,
                ["city_name"] = CityName,
                ["lat"] = Latitude,
                ["lng"] = Longitude,
            });
        }
    }

    internal static class Fields
    {
        /// <summary>Without those that are null: a scene leaves out what is unknown.</summary>
        public static Dictionary<string, object> Given(Dictionary<string, object> fields)
        {
            return fields.Where(field => field.Value != null).ToDictionary(field => field.Key, field => field.Value);
        }
    }
}
