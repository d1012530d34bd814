namespace Diegetic
{
    /// <summary>What the client reports to OnEvent. Fields that a type does not have are null.</summary>
    public sealed class ClientEvent
    {
        /// <summary>
        /// no_match (Reason), match_failed (Status, Detail), impression_recorded (MatchId, ChargedCents, Attempts),
        /// impression_retrying (MatchId, Attempts, DelayMs, Status, Detail), impression_rejected (MatchId, Status, Detail),
        /// impression_dropped (MatchId, Reason: outbox_full, closed, expired or abandoned), outbox_failed (Detail).
        /// </summary>
        public string Type;
        public string MatchId;
        /// <summary>Null when no answer came.</summary>
        public int? Status;
        public string Detail;
        public string Reason;
        public int? Attempts;
        public int? DelayMs;
        public double? ChargedCents;
    }
}
