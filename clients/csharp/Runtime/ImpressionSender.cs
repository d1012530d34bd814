using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Threading;
using System.Threading.Tasks;

namespace Diegetic
{
    /// <summary>Sends each impression of the outbox until it has a final answer, a few at a time.</summary>
    internal sealed class ImpressionSender
    {
        private const int MaxConcurrentRequests = 4;
        // After a failed retry: at most 40 retries a second reach a service that is down.
        private const int PauseOfRetriesMs = 100;
        // No service bills a match that is older; before, only the service knows.
        private const long MaxAgeMs = 8L * 24 * 60 * 60 * 1000;

        private readonly object _gate = new object();
        // No change of the machine's clock moves it.
        private readonly Stopwatch _clock = Stopwatch.StartNew();
        private readonly IOutbox _outbox;
        private readonly Func<OutboxEntry, CancellationToken, Task<Answer>> _send;
        private readonly Action<ClientEvent> _report;
        private readonly CancellationTokenSource _closed = new CancellationTokenSource();
        // By match_id: everything without a final answer.
        private readonly Dictionary<string, Pending> _pending = new Dictionary<string, Pending>();
        // Sent before retries, so that impressions that cannot be recorded hold up no other.
        private readonly Queue<Pending> _new = new Queue<Pending>();
        private readonly Queue<Pending> _dueRetries = new Queue<Pending>();
        private readonly List<TaskCompletionSource<bool>> _flushes = new List<TaskCompletionSource<bool>>();
        // Of _clock.
        private long _pausedUntilMs;
        private long _retriesPausedUntilMs;
        // A pause is waited for once, however many impressions wait.
        private bool _isResuming;
        private int _inFlight;
        private bool _isClosed;

        public ImpressionSender(IOutbox outbox, Func<OutboxEntry, CancellationToken, Task<Answer>> send, Action<ClientEvent> report)
        {
            _outbox = outbox;
            _send = send;
            _report = report;
            lock (_gate)
            {
                Write(() =>
                {
                    foreach (OutboxEntry entry in outbox.Load())
                    {
                        long ageMs = DateTimeOffset.UtcNow.ToUnixTimeMilliseconds() - entry.RecordedAtMs;
                        Enqueue(entry, isNew: false, ageMs: Math.Max(0, ageMs));
                    }
                });
                Pump();
            }
        }

        public int Count
        {
            get
            {
                lock (_gate) return _pending.Count;
            }
        }

        public bool IsClosed
        {
            get
            {
                lock (_gate) return _isClosed;
            }
        }

        public static Dictionary<string, object> Body(OutboxEntry entry)
        {
            return new Dictionary<string, object>
            {
                ["match_id"] = entry.MatchId,
                ["campaign_id"] = entry.CampaignId,
                ["creative_id"] = entry.CreativeId,
                ["game_id"] = entry.GameId,
            };
        }

        /// <summary>False when the impression is not accepted; an event says why. One that is pending is accepted again.</summary>
        public bool Add(OutboxEntry entry)
        {
            lock (_gate)
            {
                if (_isClosed) return Drop(entry.MatchId, "closed");
                if (_pending.ContainsKey(entry.MatchId)) return true;
                if (_pending.Count >= _outbox.Capacity) return Drop(entry.MatchId, "outbox_full");
                Write(() => _outbox.Add(entry));
                Enqueue(entry, isNew: true, ageMs: 0);
                Pump();
                return true;
            }
        }

        /// <summary>Completes when nothing is pending, the time is over or the sender closed.</summary>
        public async Task Flush(int timeoutMs)
        {
            var over = new TaskCompletionSource<bool>(TaskCreationOptions.RunContinuationsAsynchronously);
            lock (_gate)
            {
                if (_pending.Count == 0 || _isClosed) return;
                _flushes.Add(over);
            }
            using (var timeout = new CancellationTokenSource())
            {
                await Task.WhenAny(over.Task, Task.Delay(timeoutMs, timeout.Token)).ConfigureAwait(false);
                timeout.Cancel();
            }
            lock (_gate) _flushes.Remove(over);
        }

        /// <summary>Sends nothing more. A durable outbox keeps what is pending; otherwise each one is reported as dropped.</summary>
        public void Close()
        {
            lock (_gate)
            {
                if (_isClosed) return;
                _isClosed = true;
                if (!_outbox.IsDurable)
                {
                    foreach (string matchId in _pending.Keys) Drop(matchId, "abandoned");
                }
                Write(_outbox.Close);
                EndFlushes();
            }
            _closed.Cancel();
        }

        private void Enqueue(OutboxEntry entry, bool isNew, long ageMs)
        {
            if (_pending.ContainsKey(entry.MatchId)) return;
            var pending = new Pending
            {
                Entry = entry, ExpiresAtMs = _clock.ElapsedMilliseconds + MaxAgeMs - ageMs, IsNew = isNew,
            };
            _pending[entry.MatchId] = pending;
            (isNew ? _new : _dueRetries).Enqueue(pending);
        }

        private void Pump()
        {
            while (!_isClosed && _inFlight < MaxConcurrentRequests && _new.Count + _dueRetries.Count > 0)
            {
                long pauseMs = PausedUntilMs() - _clock.ElapsedMilliseconds;
                if (pauseMs > 0)
                {
                    ResumeAfter((int)pauseMs);
                    return;
                }
                Pending next = (_new.Count > 0 ? _new : _dueRetries).Dequeue();
                if (_clock.ElapsedMilliseconds > next.ExpiresAtMs)
                {
                    Drop(next.Entry.MatchId, "expired");
                    Remove(next);
                    continue;
                }
                _inFlight += 1;
                next.Attempts += 1;
                Task.Run(() => Attempt(next));
            }
        }

        private async Task Attempt(Pending pending)
        {
            Answer answer = null;
            double askedMs = 0;
            string detail;
            try
            {
                answer = await _send(pending.Entry, _closed.Token).ConfigureAwait(false);
                detail = answer.Detail;
                askedMs = answer.RetryAfterMs;
            }
            catch (Exception error)
            {
                // Also an answer whose headers cannot be read.
                answer = null;
                detail = error.GetBaseException().Message;
            }
            lock (_gate)
            {
                _inFlight -= 1;
                if (_isClosed) return;
                Finish(pending, answer, askedMs, detail);
                Pump();
            }
        }

        private void Finish(Pending pending, Answer answer, double askedMs, string detail)
        {
            string matchId = pending.Entry.MatchId;
            if (answer != null && answer.Status == 201 && answer.Text("impression_id") != null)
            {
                _report(new ClientEvent
                {
                    Type = "impression_recorded",
                    MatchId = matchId,
                    ChargedCents = answer.Number("charged_cents"),
                    Attempts = pending.Attempts,
                });
                Remove(pending);
            }
            else if (answer != null && answer.IsRejection)
            {
                _report(new ClientEvent
                {
                    Type = "impression_rejected", MatchId = matchId, Status = answer.Status, Detail = detail,
                });
                Remove(pending);
            }
            else
            {
                RetryLater(pending, answer?.Status, askedMs, detail);
            }
        }

        private void RetryLater(Pending pending, int? status, double askedMs, string detail)
        {
            int delayMs = Retry.DelayMs(pending.Attempts, askedMs);
            _report(new ClientEvent
            {
                Type = "impression_retrying",
                MatchId = pending.Entry.MatchId,
                Attempts = pending.Attempts,
                DelayMs = delayMs,
                Status = status,
                Detail = detail,
            });
            // Only a rate limit concerns the whole key: another failure may be of one advertiser alone.
            if (status == 429) _pausedUntilMs = Math.Max(_pausedUntilMs, _clock.ElapsedMilliseconds + delayMs);
            if (!pending.IsNew) _retriesPausedUntilMs = _clock.ElapsedMilliseconds + PauseOfRetriesMs;
            pending.IsNew = false;
            AfterDelay(delayMs, () => _dueRetries.Enqueue(pending));
        }

        // When the first of those that wait may be sent.
        private long PausedUntilMs()
        {
            return _new.Count > 0 ? _pausedUntilMs : Math.Max(_pausedUntilMs, _retriesPausedUntilMs);
        }

        private void ResumeAfter(int pauseMs)
        {
            if (_isResuming) return;
            _isResuming = true;
            AfterDelay(pauseMs, () => _isResuming = false);
        }

        private void AfterDelay(int delayMs, Action change)
        {
            Task.Delay(delayMs, _closed.Token).ContinueWith(
                _ =>
                {
                    lock (_gate)
                    {
                        change();
                        Pump();
                    }
                },
                TaskContinuationOptions.OnlyOnRanToCompletion);
        }

        private void Remove(Pending pending)
        {
            _pending.Remove(pending.Entry.MatchId);
            Write(() => _outbox.Remove(pending.Entry.MatchId));
            if (_pending.Count == 0) EndFlushes();
        }

        private void EndFlushes()
        {
            foreach (TaskCompletionSource<bool> over in _flushes) over.TrySetResult(true);
        }

        private bool Drop(string matchId, string reason)
        {
            _report(new ClientEvent { Type = "impression_dropped", MatchId = matchId, Reason = reason });
            return false;
        }

        private void Write(Action change)
        {
            try
            {
                change();
            }
            catch (Exception error)
            {
                _report(new ClientEvent { Type = "outbox_failed", Detail = error.Message });
            }
        }

        private sealed class Pending
        {
            public OutboxEntry Entry;
            // Of _clock.
            public long ExpiresAtMs;
            public int Attempts;
            // Recorded by this client and not sent yet.
            public bool IsNew;
        }
    }
}
