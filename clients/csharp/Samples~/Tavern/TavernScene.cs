using System.IO;
using Diegetic;
using UnityEngine;

/// <summary>Shows an ad's line when the scene starts, and records the impression when the player has seen it.</summary>
public sealed class TavernScene : MonoBehaviour
{
    // One for the whole game: it holds connections and the outbox's file, and delivers while scenes come and go.
    private static DiegeticClient _client;

    [SerializeField] private string _baseUrl = "http://127.0.0.1:8080/api";
    [SerializeField] private string _gameId = "my-game";
    // Your game's own id of the player: frequency caps and erasure go by it.
    [SerializeField] private string _userId = "player-1";
    private Match _match;

    private async void Start()
    {
        if (_client == null) Open();
        _match = await _client.Match(new Scene
        {
            GameId = _gameId,
            UserId = _userId,
            GameContext = new GameContext { Location = "tavern", MoodTags = new[] { "calm" } },
        });
        Debug.Log("You enter the tavern. " + _match?.NarrativeHook);
    }

    /// <summary>Call it when the text box was shown.</summary>
    public void OnSceneSeen()
    {
        if (_match != null) _client?.RecordImpression(_match);
    }

    private void Open()
    {
        _client = new DiegeticClient(new DiegeticClientOptions
        {
            BaseUrl = _baseUrl,
            // A key belongs to a server: put it into a build for players only if that is your server's build.
            ApiKey = System.Environment.GetEnvironmentVariable("DIEGETIC_KEY"),
            Outbox = new FileOutbox(Path.Combine(Application.persistentDataPath, "impressions.jsonl")),
            OnEvent = clientEvent => Debug.Log(clientEvent.Type + " " + clientEvent.Detail),
        });
        Application.quitting += Close;
    }

    private static void Close()
    {
        Application.quitting -= Close;
        _client.Close(2000).Wait();
        _client = null;
    }
}
