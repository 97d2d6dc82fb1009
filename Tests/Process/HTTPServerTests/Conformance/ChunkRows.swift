import WireKit

/// RFC 9112 section 7.1: the chunked coding.
enum ChunkRows {
    static let rows: [Row] =
        read.map { Row("9112 §7.1", $0, chunked($1), [Expected(200, "POST /a" + $2)]) }
        + trailers
        + refused.map {
            Row($0, $1, chunked($2), [Expected(400, "malformed_request")], .closed)
        }

    private static func chunked(_ body: String) -> WireText {
        """
        POST /a HTTP/1.1␍␊
        Host: school.example␍␊
        Transfer-Encoding: chunked␍␊
        ␍␊
        \(body)
        """
    }

    private static let read = [
        ("chunks follow each other until an empty one", "2␍␊he␍␊3␍␊llo␍␊0␍␊␍␊", " =hello"),
        ("a body may be empty", "0␍␊␍␊", ""),
        (
            "sizes are hexadecimal, in either case", "a␍␊0123456789␍␊A␍␊0123456789␍␊0␍␊␍␊",
            " =01234567890123456789"
        ),
        ("with leading zeros", "0005␍␊hello␍␊000␍␊␍␊", " =hello"),
        ("the data is anything", "5␍␊␍␊0␍␊␍␊0␍␊␍␊", " =\r\n0\r\n"),
        ("however it is cut", "✂5␍✂␊he✂llo␍✂␊✂0✂␍␊✂␍✂␊", " =hello"),
    ]

    private static let trailers: [Row] = [
        Row(
            "9110 §6.5.1", "trailer fields may be dropped, and are",
            chunked("5␍␊hello␍␊0␍␊Note: late␍␊␍␊"), [Expected(200, "POST /a =hello")]),
        Row(
            "9110 §6.5.1", "above all those that frame, route or authenticate",
            chunked("0␍␊Content-Length: 9␍␊Host: x␍␊Authorization: x␍␊Connection: close␍␊␍␊"),
            [Expected(200, "POST /a")]),
        Row(
            "6585 §5", "trailers have a limit",
            chunked("0␍␊\(times(1000, "Note: late␍␊"))␍␊"),
            [Expected(431, "head_too_large")], .closed),
    ]

    private static let refused = [
        ("9112 §7.1.1", "an extension should be ignored; we refuse it", "5;a=b␍␊hello␍␊0␍␊␍␊"),
        ("9112 §7.1", "a size with a prefix", "0x5␍␊hello␍␊0␍␊␍␊"),
        ("9112 §7.1", "with a sign", "+5␍␊hello␍␊0␍␊␍␊"),
        ("9112 §7.1", "negative", "-1␍␊␍␊0␍␊␍␊"),
        ("9112 §7.1", "with a blank before it", " 5␍␊hello␍␊0␍␊␍␊"),
        ("9112 §7.1", "with a blank after it", "5 ␍␊hello␍␊0␍␊␍␊"),
        ("9112 §7.1", "without a digit", "␍␊hello␍␊0␍␊␍␊"),
        ("9112 §7.1", "with a letter that is not a digit", "g␍␊hello␍␊0␍␊␍␊"),
        ("9112 §7.1", "a size beyond every integer", "FFFFFFFFFFFFFFFF␍␊hello␍␊0␍␊␍␊"),
        ("9112 §7.1", "a size that would wrap around", "10000000000000005␍␊hello␍␊0␍␊␍␊"),
        ("9112 §7.1", "more data than the size said", "4␍␊hello␍␊0␍␊␍␊"),
        ("9112 §7.1", "less data", "6␍␊hello␍␊0␍␊␍␊"),
        ("9112 §2.2", "a size line that ends with LF", "5␊hello␍␊0␍␊␍␊"),
        ("9112 §2.2", "data that ends with LF", "5␍␊hello␊0␍␊␍␊"),
        ("9112 §2.2", "an end with LF", "5␍␊hello␍␊0␍␊␊"),
        ("9112 §7.1.2", "a trailer without a colon", "0␍␊late␍␊␍␊"),
        ("9112 §5.2", "a folded trailer", "0␍␊Note: a␍␊ b␍␊␍␊"),
        ("9110 §5.5", "a trailer with NUL", "0␍␊Note: ␀␍␊␍␊"),
    ]
}
