using System;
using System.Collections.Generic;
using System.IO;
using System.Net.Http;
using System.Text;
using System.Text.RegularExpressions;
using System.Threading;
using System.Threading.Tasks;

namespace Diegetic
{
    public sealed class TransportRequest
    {
        public string Method;
        public string Url;
        public IReadOnlyDictionary<string, string> Headers;
        /// <summary>JSON, or null for none.</summary>
        public string Body;
        /// <summary>Of the answer. Throw instead of reading a larger one.</summary>
        public int MaxAnswerBytes = int.MaxValue;

        internal Exception AnswerTooLarge()
        {
            return new IOException("the answer is larger than " + MaxAnswerBytes + " bytes");
        }
    }

    public sealed class TransportResponse
    {
        public int Status;
        public string Body;
        /// <summary>The value of a header, or null. Names ignore case.</summary>
        public Func<string, string> Header;
    }

    /// <summary>Replace it for a proxy, another HTTP library or tests. Called on any thread.</summary>
    public interface ITransport
    {
        /// <summary>Throws when no answer comes.</summary>
        Task<TransportResponse> Send(TransportRequest request, CancellationToken cancellation);
    }

    /// <summary>Sends by HttpClient.</summary>
    public sealed class HttpTransport : ITransport, IDisposable
    {
        private const int MaxConnections = 64;
        private const int ReadBytes = 16384;
        private readonly HttpClient _http;

        public HttpTransport()
        {
            var handler = new HttpClientHandler { AllowAutoRedirect = false, MaxConnectionsPerServer = MaxConnections };
            _http = new HttpClient(handler) { Timeout = Timeout.InfiniteTimeSpan };
        }

        /// <summary>Closes its connections and cancels what is on its way.</summary>
        public void Dispose()
        {
            _http.Dispose();
        }

        public async Task<TransportResponse> Send(TransportRequest request, CancellationToken cancellation)
        {
            using (var message = new HttpRequestMessage(new HttpMethod(request.Method), request.Url))
            {
                message.Headers.ExpectContinue = false;
                foreach (KeyValuePair<string, string> header in request.Headers)
                {
                    message.Headers.TryAddWithoutValidation(header.Key, header.Value);
                }
                if (request.Body != null)
                {
                    message.Content = new StringContent(request.Body, Encoding.UTF8, "application/json");
                }
                const HttpCompletionOption Unread = HttpCompletionOption.ResponseHeadersRead;
                using (HttpResponseMessage response = await _http.SendAsync(message, Unread, cancellation).ConfigureAwait(false))
                // Not every runtime ends a read by its token.
                using (cancellation.Register(response.Dispose))
                {
                    string body = await ReadText(response.Content, request, cancellation).ConfigureAwait(false);
                    var headers = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
                    foreach (var header in response.Headers) headers[header.Key] = string.Join(", ", header.Value);
                    return new TransportResponse
                    {
                        Status = (int)response.StatusCode,
                        Body = body,
                        Header = name => headers.TryGetValue(name, out string value) ? value : null,
                    };
                }
            }
        }

        /// <summary>Stops reading beyond the limit of the request.</summary>
        private static async Task<string> ReadText(HttpContent content, TransportRequest request, CancellationToken cancellation)
        {
            using (Stream stream = await content.ReadAsStreamAsync().ConfigureAwait(false))
            using (var bytes = new MemoryStream())
            {
                var buffer = new byte[ReadBytes];
                for (;;)
                {
                    int count = await stream.ReadAsync(buffer, 0, buffer.Length, cancellation).ConfigureAwait(false);
                    if (count == 0) break;
                    if (bytes.Length + count > request.MaxAnswerBytes) throw request.AnswerTooLarge();
                    bytes.Write(buffer, 0, count);
                }
                bytes.Position = 0;
                using (var text = new StreamReader(bytes, Encoding.UTF8)) return text.ReadToEnd();
            }
        }
    }

    /// <summary>An answer that was read to its end.</summary>
    internal sealed class Answer
    {
        public readonly int Status;
        private readonly TransportResponse _response;
        private readonly Dictionary<string, object> _fields;

        public Answer(TransportResponse response)
        {
            Status = response.Status;
            _response = response;
            Body = Parsed(response.Body);
            _fields = Body as Dictionary<string, object> ?? new Dictionary<string, object>();
        }

        /// <summary>Null for an empty body or one that is not JSON.</summary>
        public object Body { get; }

        /// <summary>
        /// Repeating the request would get the same answer: 4xx, except a timeout and too many requests. Without the
        /// service's `detail` it comes from something between, such as a proxy's page.
        /// </summary>
        public bool IsFinal =>
            Status >= 400 && Status < 500 && Status != 408 && Status != 429 && Text("detail") != null;

        /// <summary>
        /// No repetition can record the impression. After 401 and 403 another key may; after a 404 without the headers of rate
        /// limits, which comes from outside the API's base path, the right address.
        /// </summary>
        public bool IsRejection =>
            IsFinal && Status != 401 && Status != 403 && (Status != 404 || Header("X-RateLimit-Limit") != null);

        /// <summary>A success whose body is not JSON comes from something between, such as a proxy's page.</summary>
        public bool IsComplete => Status == 204 || (Status >= 200 && Status < 300 && Body != null);

        /// <summary>The service's `detail`, or a few words where something else answered: a redirect names its target.</summary>
        public string Detail => Text("detail") ?? "Unexpected answer " + Status + Target;

        /// <summary>Milliseconds; 0 without a Retry-After.</summary>
        public double RetryAfterMs => Retry.AfterMs(Header("Retry-After"));

        /// <summary>That of the header Link, as it is in its address; null on the last page.</summary>
        public string NextCursor
        {
            get
            {
                var link = Regex.Match(Header("Link") ?? "", "^<[^>]*[?&]cursor=([^&>]+)[^>]*>; rel=\"next\"\\z");
                return link.Success ? link.Groups[1].Value : null;
            }
        }

        private string Target => Header("Location") == null ? "" : ": redirects to " + Header("Location");

        /// <summary>For a call whose success has no body.</summary>
        public Answer WithoutBody()
        {
            return new Answer(new TransportResponse { Status = Status, Header = _response.Header });
        }

        public string Header(string name)
        {
            return _response.Header == null ? null : _response.Header(name);
        }

        public object Field(string name)
        {
            return _fields.TryGetValue(name, out object value) ? value : null;
        }

        public string Text(string name)
        {
            return Field(name) as string;
        }

        public double Number(string name)
        {
            return Field(name) as double? ?? 0;
        }

        private static object Parsed(string body)
        {
            if (string.IsNullOrEmpty(body)) return null;
            try
            {
                return Json.Parse(body);
            }
            catch (FormatException)
            {
                return null;
            }
        }
    }
}
