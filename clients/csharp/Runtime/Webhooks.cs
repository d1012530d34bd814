using System;
using System.Collections.Generic;
using System.Globalization;
using System.Linq;
using System.Security.Cryptography;
using System.Text;

namespace Diegetic
{
    /// <summary>The request was not signed with the secret, or is too old. Answer it with 400.</summary>
    public sealed class WebhookSignatureException : Exception
    {
        public WebhookSignatureException(string message) : base(message)
        {
        }
    }

    /// <summary>Verification of requests to webhooks.</summary>
    public static class Webhooks
    {
        private const int MaxSignatures = 8;
        private const int MaxTimeDigits = 12;
        private const int SignatureDigits = 64;

        /// <summary>
        /// Returns the event of a request: its body as received and its header Diegetic-Signature. Throws
        /// WebhookSignatureException unless one of its signatures is of the secret and its time is near. The same event may
        /// arrive again: remember its id.
        /// </summary>
        /// <param name="nowMs">Unix milliseconds; by default the clock of this machine.</param>
        public static Dictionary<string, object> VerifyWebhook(
            byte[] body, string signature, string secret, double toleranceSeconds = 300, Func<long> nowMs = null)
        {
            List<string> fields = (signature ?? "").Split(',').Select(field => field.Trim()).ToList();
            string stamp = (fields.Find(field => field.StartsWith("t=", StringComparison.Ordinal)) ?? "t=").Substring(2);
            List<string> signatures = fields
                .Where(field => field.StartsWith("v1=", StringComparison.Ordinal))
                .Select(field => field.Substring(3))
                .Where(field => field.Length == SignatureDigits && field.All(IsHexadecimal))
                .Take(MaxSignatures)
                .ToList();
            if (stamp.Length == 0 || stamp.Length > MaxTimeDigits || !stamp.All(IsDigit) || signatures.Count == 0)
                throw new WebhookSignatureException("The header Diegetic-Signature is missing or malformed.");
            string expected = Signed(Encoding.UTF8.GetBytes(stamp + ".").Concat(body).ToArray(), secret);
            // Compares with all, so that the time does not tell which one is right.
            if (signatures.Count(one => AreEqual(one, expected)) == 0)
                throw new WebhookSignatureException("The signature is not of this secret and body.");
            long now = nowMs == null ? DateTimeOffset.UtcNow.ToUnixTimeMilliseconds() : nowMs();
            double ageSeconds = now / 1000.0 - long.Parse(stamp, CultureInfo.InvariantCulture);
            if (Math.Abs(ageSeconds) > toleranceSeconds)
                throw new WebhookSignatureException("The signature is too old, or the clocks differ.");
            return (Dictionary<string, object>)Json.Parse(Encoding.UTF8.GetString(body));
        }

        public static Dictionary<string, object> VerifyWebhook(
            string body, string signature, string secret, double toleranceSeconds = 300, Func<long> nowMs = null)
        {
            return VerifyWebhook(Encoding.UTF8.GetBytes(body), signature, secret, toleranceSeconds, nowMs);
        }

        private static string Signed(byte[] content, string secret)
        {
            using (var hmac = new HMACSHA256(Encoding.UTF8.GetBytes(secret)))
            {
                return string.Concat(hmac.ComputeHash(content).Select(one => one.ToString("x2")));
            }
        }

        /// <summary>In constant time, for texts of the same length.</summary>
        private static bool AreEqual(string one, string other)
        {
            int difference = 0;
            for (int at = 0; at < SignatureDigits; at += 1) difference |= one[at] ^ other[at];
            return difference == 0;
        }

        private static bool IsDigit(char letter)
        {
            return letter >= '0' && letter <= '9';
        }

        private static bool IsHexadecimal(char letter)
        {
            return IsDigit(letter) || (letter >= 'a' && letter <= 'f');
        }
    }
}
