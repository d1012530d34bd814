using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace Diegetic
{
    /// <summary>JSON without a library: netstandard2.1 and Unity bring none that both have.</summary>
    public static class Json
    {
        private const int MaxDepth = 64;

        /// <summary>Objects are dictionaries, arrays lists, numbers doubles. Throws FormatException.</summary>
        public static object Parse(string text)
        {
            var reader = new Reader(text);
            object value = reader.Value(0);
            reader.End();
            return value;
        }

        /// <summary>
        /// Writes null, dictionaries with texts as keys, sequences, texts, numbers and booleans. Throws ArgumentException for
        /// anything else, and for numbers that JSON has not.
        /// </summary>
        public static string Write(object value)
        {
            var text = new StringBuilder();
            Append(text, value);
            return text.ToString();
        }

        private static void Append(StringBuilder text, object value)
        {
            if (value == null) text.Append("null");
            else if (value is string) AppendText(text, (string)value);
            else if (value is bool) text.Append((bool)value ? "true" : "false");
            else if (value is IDictionary<string, object>) AppendObject(text, (IDictionary<string, object>)value);
            else if (value is IDictionary) AppendObject(text, Fields((IDictionary)value));
            else if (value is IEnumerable) AppendArray(text, (IEnumerable)value);
            else text.Append(Number(value));
        }

        private static string Number(object value)
        {
            switch (value is Enum ? TypeCode.Object : Type.GetTypeCode(value.GetType()))
            {
                case TypeCode.Double:
                case TypeCode.Single:
                    double number = Convert.ToDouble(value);
                    if (double.IsNaN(number) || double.IsInfinity(number)) break;
                    return ((IFormattable)value).ToString("R", CultureInfo.InvariantCulture);
                case TypeCode.SByte:
                case TypeCode.Byte:
                case TypeCode.Int16:
                case TypeCode.UInt16:
                case TypeCode.Int32:
                case TypeCode.UInt32:
                case TypeCode.Int64:
                case TypeCode.UInt64:
                case TypeCode.Decimal:
                    return Convert.ToString(value, CultureInfo.InvariantCulture);
            }
            throw new ArgumentException("JSON cannot hold " + value + " of " + value.GetType());
        }

        private static IEnumerable<KeyValuePair<string, object>> Fields(IDictionary dictionary)
        {
            foreach (DictionaryEntry entry in dictionary)
            {
                if (!(entry.Key is string)) throw new ArgumentException("JSON cannot hold the key " + entry.Key);
                yield return new KeyValuePair<string, object>((string)entry.Key, entry.Value);
            }
        }

        private static void AppendObject(StringBuilder text, IEnumerable<KeyValuePair<string, object>> fields)
        {
            string separator = "{";
            foreach (KeyValuePair<string, object> field in fields)
            {
                text.Append(separator);
                AppendText(text, field.Key);
                text.Append(':');
                Append(text, field.Value);
                separator = ",";
            }
            text.Append(separator == "{" ? "{}" : "}");
        }

        private static void AppendArray(StringBuilder text, IEnumerable entries)
        {
            string separator = "[";
            foreach (object entry in entries)
            {
                text.Append(separator);
                Append(text, entry);
                separator = ",";
            }
            text.Append(separator == "[" ? "[]" : "]");
        }

        private static void AppendText(StringBuilder text, string words)
        {
            text.Append('"');
            foreach (char letter in words)
            {
                if (letter == '"' || letter == '\\') text.Append('\\').Append(letter);
                else if (letter < ' ' || char.IsSurrogate(letter)) text.Append("\\u").Append(((int)letter).ToString("x4"));
                else text.Append(letter);
            }
            text.Append('"');
        }

        private sealed class Reader
        {
            private readonly string _text;
            private int _at;

            public Reader(string text)
            {
                _text = text;
            }

            public object Value(int depth)
            {
                if (depth > MaxDepth) throw Malformed();
                switch (Peek())
                {
                    case '{':
                        return Object(depth);
                    case '[':
                        return Array(depth);
                    case '"':
                        return Text();
                    case 't':
                        return Word("true", true);
                    case 'f':
                        return Word("false", false);
                    case 'n':
                        return Word("null", null);
                    default:
                        return Number();
                }
            }

            public void End()
            {
                SkipSpace();
                if (_at < _text.Length) throw Malformed();
            }

            private Dictionary<string, object> Object(int depth)
            {
                var fields = new Dictionary<string, object>();
                _at += 1;
                if (Peek() == '}')
                {
                    _at += 1;
                    return fields;
                }
                for (;;)
                {
                    if (Peek() != '"') throw Malformed();
                    string name = Text();
                    Expect(':');
                    fields[name] = Value(depth + 1);
                    if (!Continues('}')) return fields;
                }
            }

            private List<object> Array(int depth)
            {
                var entries = new List<object>();
                _at += 1;
                if (Peek() == ']')
                {
                    _at += 1;
                    return entries;
                }
                do
                {
                    entries.Add(Value(depth + 1));
                } while (Continues(']'));
                return entries;
            }

            private string Text()
            {
                var text = new StringBuilder();
                for (_at += 1; _at < _text.Length; _at += 1)
                {
                    char letter = _text[_at];
                    if (letter == '"')
                    {
                        _at += 1;
                        return text.ToString();
                    }
                    text.Append(letter == '\\' ? Escaped() : letter);
                }
                throw Malformed();
            }

            private char Escaped()
            {
                _at += 1;
                if (_at >= _text.Length) throw Malformed();
                switch (_text[_at])
                {
                    case 'b':
                        return '\b';
                    case 'f':
                        return '\f';
                    case 'n':
                        return '\n';
                    case 'r':
                        return '\r';
                    case 't':
                        return '\t';
                    case 'u':
                        if (_at + 4 >= _text.Length) throw Malformed();
                        string digits = _text.Substring(_at + 1, 4);
                        _at += 4;
                        return (char)ushort.Parse(digits, NumberStyles.AllowHexSpecifier, CultureInfo.InvariantCulture);
                    default:
                        return _text[_at];
                }
            }

            private object Number()
            {
                int start = _at;
                while (_at < _text.Length && "+-.eE0123456789".IndexOf(_text[_at]) >= 0) _at += 1;
                string digits = _text.Substring(start, _at - start);
                // Beyond the range of a double, some runtimes throw, others answer infinity.
                bool isNumber = double.TryParse(digits, NumberStyles.Float, CultureInfo.InvariantCulture, out double number);
                if (!isNumber || double.IsInfinity(number)) throw Malformed();
                return number;
            }

            private object Word(string word, object value)
            {
                if (string.CompareOrdinal(_text, _at, word, 0, word.Length) != 0) throw Malformed();
                _at += word.Length;
                return value;
            }

            private bool Continues(char end)
            {
                char next = Peek();
                if (next != ',' && next != end) throw Malformed();
                _at += 1;
                return next == ',';
            }

            private void Expect(char letter)
            {
                if (Peek() != letter) throw Malformed();
                _at += 1;
            }

            private char Peek()
            {
                SkipSpace();
                if (_at >= _text.Length) throw Malformed();
                return _text[_at];
            }

            private void SkipSpace()
            {
                while (_at < _text.Length && " \t\r\n".IndexOf(_text[_at]) >= 0) _at += 1;
            }

            private FormatException Malformed()
            {
                return new FormatException("malformed JSON at character " + _at);
            }
        }
    }
}
