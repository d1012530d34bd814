using System;
using System.Globalization;
using System.Text.RegularExpressions;

namespace Diegetic
{
    internal static class Retry
    {
        // Upper bound of the first delay; doubles with each attempt.
        private const double FirstBackoffMs = 250;
        private const double MaxBackoffMs = 30000;
        // A wrong Retry-After must not stop delivery for days.
        private const double MaxRetryAfterMs = 3600000;
        private const string HttpDate = "^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT\\z";
        private static readonly Random Random = new Random();

        /// <summary>Full jitter, after what Retry-After asks for: clients with the same delay do not retry together.</summary>
        public static int DelayMs(int attempts, double askedMs)
        {
            double backoffMs = Math.Min(MaxBackoffMs, FirstBackoffMs * Math.Pow(2, attempts - 1));
            double share;
            lock (Random) share = Random.NextDouble();
            return (int)Math.Round(askedMs + share * backoffMs);
        }

        /// <summary>
        /// What Retry-After asks for, an hour at most: whole seconds, or a date such as Sun, 06 Nov 1994 08:49:37 GMT. 0
        /// for anything else.
        /// </summary>
        public static double AfterMs(string value)
        {
            if (value == null) return 0;
            if (Regex.IsMatch(value, "^[0-9]+\\z"))
            {
                bool isNumber = double.TryParse(value, NumberStyles.None, CultureInfo.InvariantCulture, out double seconds);
                return isNumber ? Math.Min(MaxRetryAfterMs, seconds * 1000) : MaxRetryAfterMs;
            }
            if (!Regex.IsMatch(value, HttpDate)) return 0;
            // Not the day of the week: the other clients do not compare it with the date either.
            string time = value.Substring("Sun, ".Length);
            bool isDate = DateTimeOffset.TryParseExact(time, "dd MMM yyyy HH:mm:ss 'GMT'", CultureInfo.InvariantCulture,
                DateTimeStyles.AssumeUniversal, out DateTimeOffset date);
            double waitMs = isDate ? (date - DateTimeOffset.UtcNow).TotalMilliseconds : 0;
            return Math.Min(MaxRetryAfterMs, Math.Max(0, waitMs));
        }
    }
}
