using System;
using System.Globalization;

namespace Diegetic
{
    internal static class Retry
    {
        // Upper bound of the first delay; doubles with each attempt.
        private const double FirstBackoffMs = 250;
        private const double MaxBackoffMs = 30000;
        private const int MaxDelayMs = 24 * 60 * 60 * 1000;
        private static readonly Random Random = new Random();

        /// <summary>Full jitter, after what Retry-After asks for: clients with the same delay do not retry together.</summary>
        public static int DelayMs(int attempts, string retryAfter)
        {
            double backoffMs = Math.Min(MaxBackoffMs, FirstBackoffMs * Math.Pow(2, attempts - 1));
            double share;
            lock (Random) share = Random.NextDouble();
            return (int)Math.Min(MaxDelayMs, Math.Round(RetryAfterMs(retryAfter) + share * backoffMs));
        }

        /// <summary>Seconds or an HTTP date; 0 for anything else.</summary>
        private static double RetryAfterMs(string value)
        {
            if (value == null) return 0;
            if (double.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out double seconds)) return seconds * 1000;
            const DateTimeStyles Styles = DateTimeStyles.AssumeUniversal;
            if (!DateTimeOffset.TryParse(value, CultureInfo.InvariantCulture, Styles, out DateTimeOffset date)) return 0;
            return Math.Max(0, (date - DateTimeOffset.UtcNow).TotalMilliseconds);
        }
    }
}
