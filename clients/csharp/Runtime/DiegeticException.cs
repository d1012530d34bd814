using System;

namespace Diegetic
{
    /// <summary>A call that did not succeed.</summary>
    public sealed class DiegeticException : Exception
    {
        /// <summary>Null when no answer came.</summary>
        public readonly int? Status;
        /// <summary>The service's sentence: what is wrong, where, what to do.</summary>
        public readonly string Detail;

        public DiegeticException(string call, int? status, string detail, Exception cause)
            : base(status == null ? call + ": " + detail : call + ": " + status + " " + detail, cause)
        {
            Status = status;
            Detail = detail;
        }
    }
}
