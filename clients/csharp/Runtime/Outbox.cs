using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;

namespace Diegetic
{
    /// <summary>An impression that waits for its final answer.</summary>
    public sealed class OutboxEntry
    {
        public string MatchId;
        public string CampaignId;
        public string CreativeId;
        public string GameId;
        /// <summary>Unix milliseconds. The service bills a match for a day by default, for a week at most.</summary>
        public long RecordedAtMs;
    }

    /// <summary>Where impressions wait. Implement it to keep them elsewhere.</summary>
    public interface IOutbox
    {
        /// <summary>Maximum entries; beyond it the client accepts no new impression.</summary>
        int Capacity { get; }
        /// <summary>Whether entries survive the process.</summary>
        bool IsDurable { get; }
        /// <summary>Entries of an earlier process, oldest first. Called once, before anything else.</summary>
        IReadOnlyList<OutboxEntry> Load();
        /// <summary>Keeps the entry before it returns. Throws when it cannot.</summary>
        void Add(OutboxEntry entry);
        /// <summary>Forgets the entry: it has its final answer. Throws when it cannot.</summary>
        void Remove(string matchId);
        void Close();
    }

    /// <summary>Impressions are lost with the process.</summary>
    public sealed class MemoryOutbox : IOutbox
    {
        public const int DefaultCapacity = 10000;

        public MemoryOutbox(int capacity = DefaultCapacity)
        {
            Capacity = CheckedCapacity(capacity);
        }

        internal static int CheckedCapacity(int capacity)
        {
            if (capacity > 0) return capacity;
            throw new ArgumentException("capacity must be a whole number above 0, not " + capacity);
        }

        public int Capacity { get; }
        public bool IsDurable => false;

        // The client holds what it sends; nothing else is to keep.
        public IReadOnlyList<OutboxEntry> Load()
        {
            return new OutboxEntry[0];
        }

        public void Add(OutboxEntry entry)
        {
        }

        public void Remove(string matchId)
        {
        }

        public void Close()
        {
        }
    }

    /// <summary>
    /// Impressions survive the process, in a file of JSON lines that is appended to and rewritten when mostly finished.
    /// One file per process: throws IOException when another one uses it. With fsync they also survive a crash of the
    /// machine; each impression then waits for the disk. .NET syncs no folder: right after the file was replaced, a crash
    /// may bring back the one before, whose impressions are sent again.
    /// </summary>
    public sealed class FileOutbox : IOutbox
    {
        // Finished lines that may stand in the file before it is rewritten.
        private const int MaxFinishedLines = 1000;
        // A buffer would keep what could not be written, and write it again.
        private const int NoBuffer = 1;
        private readonly string _path;
        private readonly bool _fsync;
        private readonly FileStream _lock;
        private readonly Dictionary<string, OutboxEntry> _entries = new Dictionary<string, OutboxEntry>();
        // Ids in the order in which they were added, finished ones included.
        private readonly List<string> _order = new List<string>();
        // Null when the file could not be opened again after it was replaced.
        private FileStream _file;
        private int _finishedLines;
        // A write failed: the file may end within a line, or lack entries.
        private bool _isDamaged;
        private bool _isClosed;

        public FileOutbox(string path, int capacity = MemoryOutbox.DefaultCapacity, bool fsync = false)
        {
            if (path == null) throw new ArgumentNullException(nameof(path));
            // The process may change its directory.
            _path = Path.GetFullPath(path);
            _fsync = fsync;
            Capacity = MemoryOutbox.CheckedCapacity(capacity);
            _lock = Locked(_path);
            try
            {
                Read();
                Rewrite();
            }
            catch
            {
                IgnoringErrors(Close);
                throw;
            }
        }

        public int Capacity { get; }
        public bool IsDurable => true;

        public IReadOnlyList<OutboxEntry> Load()
        {
            return Pending().ToList();
        }

        public void Add(OutboxEntry entry)
        {
            Keep(entry);
            Append(AddLine(entry));
        }

        public void Remove(string matchId)
        {
            if (!_entries.Remove(matchId)) return;
            _finishedLines += 2;
            Append(new Dictionary<string, object> { ["remove"] = matchId });
            if (_finishedLines > Math.Max(MaxFinishedLines, _entries.Count)) Rewrite();
        }

        public void Close()
        {
            _isClosed = true;
            try
            {
                CloseFile();
            }
            finally
            {
                _lock.Dispose();
            }
        }

        private void CloseFile()
        {
            FileStream file = _file;
            _file = null;
            file?.Dispose();
        }

        /// <summary>Two processes on one file would overwrite each other's impressions. The lock ends with the process.</summary>
        private static FileStream Locked(string path)
        {
            FileStream file = null;
            try
            {
                // Mono keeps FileShare.None within a process; .NET on macOS has no Lock, and needs none.
                file = new FileStream(path + ".lock", FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
                file.Lock(0, 1);
                return file;
            }
            catch (PlatformNotSupportedException)
            {
                return file;
            }
            catch (IOException error) when (!(error is FileNotFoundException || error is DirectoryNotFoundException))
            {
                file?.Dispose();
                throw new IOException(path + " is used by another process, or cannot be locked: " + error.Message + " Give each process a file of its own.", error);
            }
        }

        private IEnumerable<OutboxEntry> Pending()
        {
            // An id that was added again stands twice in _order.
            return _order.Distinct().Where(_entries.ContainsKey).Select(matchId => _entries[matchId]);
        }

        private void Keep(OutboxEntry entry)
        {
            if (!_entries.ContainsKey(entry.MatchId)) _order.Add(entry.MatchId);
            _entries[entry.MatchId] = entry;
            // A full disk refuses the rewrite that forgets finished ids.
            if (_order.Count > 2 * _entries.Count + MaxFinishedLines) ForgetFinished();
        }

        private void ForgetFinished()
        {
            List<string> pending = Pending().Select(one => one.MatchId).ToList();
            _order.Clear();
            _order.AddRange(pending);
        }

        private void Read()
        {
            if (!File.Exists(_path)) return;
            foreach (string text in File.ReadAllLines(_path, Encoding.UTF8))
            {
                Dictionary<string, object> line = Parsed(text);
                if (Field(line, "add") is Dictionary<string, object> fields && IsEntry(fields)) Keep(Entry(fields));
                else if (Field(line, "remove") is string removed) _entries.Remove(removed);
            }
        }

        /// <summary>Replaces the file in one step and opens it for appending.</summary>
        private void Rewrite()
        {
            _isDamaged = true;
            List<OutboxEntry> pending = Pending().ToList();
            string next = _path + ".next";
            try
            {
                using (var file = new FileStream(next, FileMode.Create, FileAccess.Write))
                {
                    foreach (OutboxEntry entry in pending)
                    {
                        byte[] bytes = Encoding.UTF8.GetBytes(Json.Write(AddLine(entry)) + "\n");
                        file.Write(bytes, 0, bytes.Length);
                    }
                    file.Flush(_fsync);
                }
                // Windows replaces no open file.
                CloseFile();
                if (File.Exists(_path)) File.Replace(next, _path, null);
                else File.Move(next, _path);
            }
            catch
            {
                IgnoringErrors(() => File.Delete(next));
                throw;
            }
            _finishedLines = 0;
            _isDamaged = false;
            ForgetFinished();
            _file = Opened();
        }

        /// <summary>Clears up after an error, which is the one to throw.</summary>
        private static void IgnoringErrors(Action action)
        {
            try
            {
                action();
            }
            catch (Exception)
            {
            }
        }

        private FileStream Opened()
        {
            if (_isClosed) throw new ObjectDisposedException(nameof(FileOutbox), _path + " is closed");
            return new FileStream(_path, FileMode.Append, FileAccess.Write, FileShare.Read, NoBuffer);
        }

        private void Append(Dictionary<string, object> line)
        {
            bool wasDamaged = _isDamaged;
            byte[] bytes = Encoding.UTF8.GetBytes((wasDamaged ? "\n" : "") + Json.Write(line) + "\n");
            _isDamaged = true;
            _file = _file ?? Opened();
            _file.Write(bytes, 0, bytes.Length);
            _file.Flush(_fsync);
            if (wasDamaged) Rewrite();
            else _isDamaged = false;
        }

        private static Dictionary<string, object> AddLine(OutboxEntry entry)
        {
            Dictionary<string, object> fields = ImpressionSender.Body(entry);
            fields["recorded_at_ms"] = entry.RecordedAtMs;
            return new Dictionary<string, object> { ["add"] = fields };
        }

        private static bool IsEntry(Dictionary<string, object> fields)
        {
            return new[] { "match_id", "campaign_id", "creative_id", "game_id" }.All(name => Field(fields, name) is string)
                && Field(fields, "recorded_at_ms") is double;
        }

        private static OutboxEntry Entry(Dictionary<string, object> fields)
        {
            return new OutboxEntry
            {
                MatchId = (string)fields["match_id"],
                CampaignId = (string)fields["campaign_id"],
                CreativeId = (string)fields["creative_id"],
                GameId = (string)fields["game_id"],
                RecordedAtMs = (long)(double)fields["recorded_at_ms"],
            };
        }

        private static object Field(Dictionary<string, object> fields, string name)
        {
            return fields != null && fields.TryGetValue(name, out object value) ? value : null;
        }

        /// <summary>Null for a line that a crash cut off, or that is something else.</summary>
        private static Dictionary<string, object> Parsed(string text)
        {
            try
            {
                return Json.Parse(text) as Dictionary<string, object>;
            }
            catch (FormatException)
            {
                return null;
            }
        }
    }
}
