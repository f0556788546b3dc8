internal import CaptureModel

/// A parsed JSON text.
enum JSONTree {
    case null
    case boolean(Bool)
    /// As it is written, so that none loses digits.
    case number(String)
    case text(String)
    case list([JSONTree])
    case object(JSONObject)

    var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// Whether other values are in it.
    var isContainer: Bool {
        switch self {
        case .null, .boolean, .number, .text: false
        case .list, .object: true
        }
    }

    /// What it is, for a message; a short value is given.
    var summary: String {
        switch self {
        case .null: "null"
        case .boolean(let value): "\(value)"
        case .number(let digits): digits.excerpt
        case .text(let text): "'\(text.excerpt)'"
        case .list: "a list"
        case .object: "an object"
        }
    }
}

/// The members of an object, and which of them somebody has asked for. A reference, since a decoder has several views of an object.
final class JSONObject {
    let members: [String: JSONTree]
    /// The names in the order of the text.
    let names: [String]
    /// What was asked for, present or not, in the order of the questions.
    private(set) var known: [String] = []
    private var asked: Set<String> = []
    /// The names of which it has exactly one, if its type has one of several cases.
    var choices: [String]?
    /// The type of the document, if it can explain members that it does not have.
    var explaining: (any ExplainsUnknownMembers.Type)?

    init(_ members: [String: JSONTree], names: [String]) {
        self.members = members
        self.names = names
    }

    /// Returns the member of this name, and notes that it is known.
    func member(_ name: String) -> JSONTree? {
        note(name)
        return members[name]
    }

    /// Notes that a member of this name is known.
    func note(_ name: String) {
        if asked.insert(name).inserted { known.append(name) }
    }

    /// Whether somebody has asked for members of this name.
    func knows(_ name: String) -> Bool { asked.contains(name) }
}
