internal import ArgumentParser
internal import CaptureModel

/// An id as a person gives it: all of it, its beginning, its last characters as the page shows them, or the word `last`.
enum IDReference<ID: TimeOrderedID>: Hashable, Sendable {
    /// The newest.
    case last
    case whole(ID)
    /// Of the form of 36 characters, in lower case.
    case part(String)

    /// Reads a reference.
    /// - Returns: nil for a text that is none.
    init?(_ text: String) {
        let text = text.lowercased()
        if text == "last" {
            self = .last
        } else if let id = ID(text) {
            self = .whole(id)
        } else {
            guard IDPart.lengths.contains(text.utf8.count), text.utf8.allSatisfy(IDPart.isPart) else { return nil }
            self = .part(text)
        }
    }

    /// Reads a reference on the command line.
    /// - Parameter noun: What has the ids, with its article.
    static func argument(_ text: String, of noun: String) throws -> IDReference {
        guard let reference = IDReference(text) else {
            throw ValidationError(
                "'\(text)' is not the id of \(noun); write the id, at least \(IDPart.lengths.lowerBound) characters of its beginning, its last six characters, or last"
            )
        }
        return reference
    }

    /// Returns the id that is meant, where it needs no others.
    var whole: ID? {
        if case .whole(let id) = self { id } else { nil }
    }

    /// Returns the one of some ids that is meant.
    /// - Parameter noun: What has the ids.
    /// - Throws: ``CommandFailure`` if none is, or several are, which it names.
    func resolved(among ids: some Sequence<ID>, _ noun: IDNoun) throws(CommandFailure) -> ID {
        switch self {
        case .whole(let id): return id
        case .last:
            guard let last = ids.max() else {
                throw CommandFailure(.failed, "there is no \(noun.singular) yet; `\(noun.list)` lists them")
            }
            return last
        case .part(let text):
            let found = Set(ids.filter { IDPart.isPart(text, of: $0.description) }).sorted(by: >)
            guard found.count < 2 else { throw ambiguous(text, found, noun) }
            guard let id = found.first else {
                throw CommandFailure(
                    .failed,
                    "no id of a \(noun.singular) begins with '\(text)' or ends in it; `\(noun.list)` lists them")
            }
            return id
        }
    }

    private func ambiguous(_ text: String, _ found: [ID], _ noun: IDNoun) -> CommandFailure {
        let shown = found.prefix(IDPart.candidates).map(\.description).joined(separator: ", ")
        let more = found.count > IDPart.candidates ? " and \(found.count - IDPart.candidates) more" : ""
        return CommandFailure(
            .usage, "'\(text)' may be any of \(found.count) \(noun.singular)s: \(shown)\(more); write more of the id")
    }
}

/// What ids are of.
struct IDNoun: Hashable, Sendable {
    var singular: String
    /// The command that lists them.
    var list: String

    static let shot = IDNoun(singular: "shot", list: "capctl shots list")
    static let take = IDNoun(singular: "take", list: "capctl takes list")
    static let settings = IDNoun(singular: "settings transaction", list: "capctl settings history")
}

/// The rules of parts of ids.
private enum IDPart {
    /// The fewest and the most characters.
    static let lengths = 4...35
    /// The characters at the end of an id that the page shows, and the fewest that are compared with it.
    static let end = 6
    /// The most ids that a message names.
    static let candidates = 5

    static func isPart(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            || byte == UInt8(ascii: "-")
    }

    static func isPart(_ text: String, of id: String) -> Bool {
        id.hasPrefix(text) || text.utf8.count >= end && id.hasSuffix(text)
    }
}
