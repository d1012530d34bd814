/** What a game server needs for a first ad, in the languages of the clients. The only source of the page's snippets. */

export const LANGUAGES = ["curl", "typescript", "python", "csharp"] as const;
type Language = (typeof LANGUAGES)[number];

export interface Integration {
  /** The address of the API, with its path: http://127.0.0.1:8080/api. */
  baseUrl: string;
  gameId: string;
}

export interface Snippet {
  label: string;
  /** Commands that bring the client to the game, once. */
  install?: string;
  file: string;
  code: string;
  /** The command that runs the file; the key is in the environment. */
  run: string;
}

/** Stands where the key is not known. */
export const KEY_PLACEHOLDER = "igk_your_serving_key";

/** The line that brings the key into the shell. */
export function keyLine(key: string): string {
  return `export DIEGETIC_KEY=${key}`;
}

export function snippetFor(language: Language, integration: Integration): Snippet {
  return SNIPPETS[language](integration);
}

const SNIPPETS: Readonly<Record<Language, (integration: Integration) => Snippet>> = {
  curl: ({ baseUrl, gameId }) => {
    const scene = JSON.stringify({
      game_id: gameId,
      user_id: "player-1",
      game_context: { location: "tavern", mood_tags: ["calm"], category: "text-adventure" },
    });
    const game = JSON.stringify({ game_id: gameId }).slice(1);
    return {
      label: "curl",
      file: "first-ad.sh",
      code: `# While a scene is made: ask for an ad. An empty answer means that none fits.
match=$(curl -sS ${baseUrl}/match \\
  -H "Authorization: Bearer $DIEGETIC_KEY" -H 'Content-Type: application/json' \\
  -d ${inShell(scene)})
printf '%s\\n' "$match"

# When the player has seen the line: record the impression of this match.
case "$match" in *'"match_id":'*) ;; *) echo "No ad: the game goes on with its own."; exit ;; esac
printf '%s\\n' "$match" | sed ${inShell(`s/}$/,${game.replaceAll(/[\\/&]/g, "\\$&")}/`)} | curl -sS ${baseUrl}/impressions \\
  -H "Authorization: Bearer $DIEGETIC_KEY" -H 'Content-Type: application/json' -d @-
echo
`,
      run: "bash first-ad.sh",
    };
  },
  typescript: ({ baseUrl, gameId }) => ({
    label: "TypeScript",
    install: `# In your game's folder, with DIEGETIC as the path of Diegetic's source code, built by npm start:
npm init -y && npm pkg set type=module
npm pack "$DIEGETIC/packages/client" && npm install ./diegetic-client-0.1.0.tgz`,
    file: "first-ad.js",
    code: `import { DiegeticClient } from "@diegetic/client";

const client = new DiegeticClient({
  baseUrl: ${JSON.stringify(baseUrl)},
  apiKey: process.env.DIEGETIC_KEY,
  // The first request of a process connects; 150 is enough afterwards.
  matchBudgetMs: 1000,
  onEvent: (event) => console.error(event),
});

// While a scene is made. It never waits longer than matchBudgetMs, and null means: no ad.
const match = await client.match({
  game_id: ${JSON.stringify(gameId)},
  user_id: "player-1",
  game_context: { location: "tavern", mood_tags: ["calm"], category: "text-adventure" },
});
console.log("You enter the tavern.", match?.narrative_hook ?? "");

// When the player has seen the line. It is repeated until the answer is final.
if (match) client.recordImpression(match);

// At shutdown.
await client.close();
`,
    run: "node first-ad.js",
  }),
  python: ({ baseUrl, gameId }) => ({
    label: "Python",
    install: `# In your game's folder, with DIEGETIC as the path of Diegetic's source code:
pip install "$DIEGETIC/clients/python"`,
    file: "first_ad.py",
    code: `import os

from diegetic import DiegeticClient

with DiegeticClient(
    base_url=${JSON.stringify(baseUrl)},
    api_key=os.environ["DIEGETIC_KEY"],
    # The first request of a process connects; 150 is enough afterwards.
    match_budget_ms=1000,
    on_event=print,
) as client:
    # While a scene is made. It never waits longer than match_budget_ms, and None means: no ad.
    match = client.match({
        "game_id": ${JSON.stringify(gameId)},
        "user_id": "player-1",
        "game_context": {"location": "tavern", "mood_tags": ["calm"], "category": "text-adventure"},
    })
    print("You enter the tavern.", match["narrative_hook"] if match else "")

    # When the player has seen the line. It is repeated until the answer is final.
    if match:
        client.record_impression(match)
# Leaving the block closes the client: it waits until the impression is delivered.
`,
    run: "python3 first_ad.py",
  }),
  csharp: ({ baseUrl, gameId }) => ({
    label: "C#",
    install: `# In your game's folder, with the .NET SDK, and DIEGETIC as the path of Diegetic's source code
# (with Mono: see clients/csharp/README.md there):
dotnet new console && dotnet add reference "$DIEGETIC/clients/csharp/Diegetic.Client.csproj"`,
    file: "Program.cs",
    code: `using System;
using System.Threading.Tasks;
using Diegetic;

public static class Program
{
    public static void Main()
    {
        Play().Wait();
    }

    private static async Task Play()
    {
        var client = new DiegeticClient(new DiegeticClientOptions
        {
            BaseUrl = ${JSON.stringify(baseUrl)},
            ApiKey = Environment.GetEnvironmentVariable("DIEGETIC_KEY"),
            // The first request of a process connects and compiles; 150 is enough afterwards.
            MatchBudgetMs = 1000,
            OnEvent = e => Console.Error.WriteLine(e.Type + " " + e.Detail + e.Reason),
        });

        // While a scene is made. Null means: no ad.
        Match match = await client.Match(new Scene
        {
            GameId = ${JSON.stringify(gameId)},
            UserId = "player-1",
            GameContext = new GameContext { Location = "tavern", MoodTags = new[] { "calm" }, Category = "text-adventure" },
        });
        Console.WriteLine("You enter the tavern. " + match?.NarrativeHook);

        // When the player has seen the line. It is repeated until the answer is final.
        if (match != null) client.RecordImpression(match);

        // At shutdown.
        await client.Close();
    }
}
`,
    run: "dotnet run",
  }),
};

/** A text as one word of a shell. */
function inShell(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
