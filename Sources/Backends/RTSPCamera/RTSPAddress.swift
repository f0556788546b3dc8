/// Where a camera is: `rtsp://HOST[:PORT][/PATH][?QUERY]`, without user and password.
public struct RTSPAddress: Hashable, Sendable {
    /// Why a text is not an address. It never contains the text, which may contain a password.
    struct Fault: Error, Hashable {
        var reason: String
    }

    static let scheme = "rtsp://"
    /// The library adds a user and a password of up to 130 bytes.
    static let longest = 900

    /// The whole text.
    let url: String
    /// Host and port.
    let host: String
    /// For people. A path or query in which a camera may expect a password is left out.
    let name: String

    init(_ text: String) throws(Fault) {
        guard text.lowercased().hasPrefix(Self.scheme), text.utf8.count <= Self.longest else {
            throw Fault(reason: "is not rtsp://HOST[:PORT]/PATH of at most \(Self.longest) bytes")
        }
        let rest = text.dropFirst(Self.scheme.count)
        let end = rest.firstIndex { "/?#".contains($0) } ?? rest.endIndex
        let (authority, tail) = (rest[..<end], rest[end...])
        guard !authority.contains("@") else {
            throw Fault(
                reason: "contains a user; write USER:PASSWORD as the only line of a file with mode 600, and name that "
                    + "file with `credentials`")
        }
        guard Self.isHost(authority), rest.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !tail.contains("#") else {
            throw Fault(
                reason:
                    "is not rtsp://HOST[:PORT]/PATH; write other characters than ASCII's as %XX, and an IPv6 address "
                    + "in brackets")
        }
        url = Self.scheme + rest
        host = String(authority)
        let isPlain = tail.utf8.allSatisfy { byte in
            let character = Character(Unicode.Scalar(byte))
            return character.isLetter || character.isNumber || "/._-".contains(character)
        }
        name = "\(Self.scheme)\(authority)\(isPlain ? tail : "/…")"
    }

    /// What is left out of ``name``, for what others write.
    var hidden: [String] {
        let shown = Self.scheme + host
        return name.hasSuffix("…") ? [url, String(url.dropFirst(shown.count))] : []
    }

    private static func isHost(_ authority: Substring) -> Bool {
        let isBracketed = authority.hasPrefix("[")
        let host = isBracketed ? authority.prefix { $0 != "]" }.dropFirst() : authority.prefix { $0 != ":" }
        var rest = authority.dropFirst(host.count + (isBracketed ? 1 : 0))
        if isBracketed {
            guard rest.first == "]" else { return false }
            rest = rest.dropFirst()
        }
        let allowed = isBracketed ? "0123456789abcdefABCDEF:." : "-._"
        let isName = host.allSatisfy { character in
            character.isASCII
                && (allowed.contains(character) || !isBracketed && (character.isLetter || character.isNumber))
        }
        guard !host.isEmpty, isName else { return false }
        guard !rest.isEmpty else { return true }
        return rest.first == ":" && UInt16(rest.dropFirst()).map { $0 > 0 } ?? false
    }
}
