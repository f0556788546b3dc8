internal import ArgumentParser
internal import CaptureModel
internal import Subprocess
internal import SystemPackage

/// The coordinators that announce themselves by DNS-SD as `_caprig._tcp`. An announcement saves typing an address and proves nothing: anybody
/// on the network can make one.
///
/// Avahi's daemon announces what its static service files say (`deploy/caprig.service.avahi`), and `avahi-browse` finds it. Source:
/// avahi-browse(1), RFC 6763.
struct AnnouncedCoordinators {
    /// In the order in which `avahi-browse` named them, each once.
    private(set) var found: [Announced] = []

    struct Announced: Hashable {
        /// As it was announced, such as `Caprig on server`.
        var name: String
        /// `HOST:PORT` of the join channel.
        var place: String
    }

    private static let browse: Arguments = ["--resolve", "--parsable", "--no-db-lookup", "--terminate", "_caprig._tcp"]

    /// Reads what `avahi-browse --resolve --parsable` has printed. Lines that it does not know are ignored.
    init(browsed text: String) {
        for line in text.split(separator: "\n") {
            // =;interface;protocol;name;type;domain;host;address;port;texts
            let fields = line.split(separator: ";", maxSplits: 9, omittingEmptySubsequences: false)
            guard fields.count >= 9, fields[0] == "=", let port = UInt16(fields[8]), port > 0 else { continue }
            // An address of one link only says nothing without the link.
            let address = fields[7].lowercased()
            guard !address.isEmpty, !address.hasPrefix("fe80:") else { continue }
            let host = address.contains(":") ? "[\(address)]" : address
            let announced = Announced(name: Self.text(ofEscaped: fields[3]), place: "\(host):\(port)")
            if !found.contains(where: { $0.name == announced.name }) { found.append(announced) }
        }
    }

    /// Returns `HOST:PORT` of the only coordinator that announces itself. Waits as long as `avahi-browse` does, about a second.
    /// - Throws: `ValidationError`: none, or several; no Avahi.
    static func only() async throws -> String {
        let (status, text, complaints): (TerminationStatus, String, String)
        do {
            let result = try await run(
                .name("avahi-browse"), arguments: browse, output: .string(limit: 1 << 20),
                error: .string(limit: 1 << 16))
            (status, text, complaints) = (result.terminationStatus, result.standardOutput, result.standardError)
        } catch {
            throw ValidationError(
                "coordinators are looked for with avahi-browse, which cannot be run (\(error)); install avahi-utils, or give the "
                    + "coordinator's host: --request HOST")
        }
        guard status.isSuccess else {
            throw ValidationError(
                "avahi-browse fails (\(status)): \(complaints); give the coordinator's host: --request HOST")
        }
        return try AnnouncedCoordinators(browsed: text).only()
    }

    /// - Throws: `ValidationError`: none, or several.
    func only() throws -> String {
        switch found.count {
        case 1: return found[0].place
        case 0:
            throw ValidationError(
                "no coordinator announces itself on this network; give its host: --request HOST, or announce it (docs/keys.md)"
            )
        default:
            let list = found.map { "\($0.place) (\($0.name))" }.joined(separator: ", ")
            throw ValidationError(
                "several coordinators announce themselves; name one of them: --request HOST:PORT. They are \(list)")
        }
    }

    /// Undoes what `avahi-browse` does to a name: `\032` for a byte, by its decimal number, and `\` before a dot or itself.
    private static func text(ofEscaped field: Substring) -> String {
        var bytes: [UInt8] = []
        var rest = field.utf8
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else { bytes.append(byte); continue }
            if let number = UInt8(String(decoding: rest.prefix(3), as: UTF8.self)), rest.count >= 3 {
                bytes.append(number)
                rest = rest.dropFirst(3)
            } else if let escaped = rest.popFirst() {
                bytes.append(escaped)
            }
        }
        // Shown to a person: nothing that acts on a terminal, which anybody could announce.
        return String(decoding: bytes, as: UTF8.self).printable()
    }
}
