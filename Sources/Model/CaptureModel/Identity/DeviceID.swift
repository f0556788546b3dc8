/// A camera or microphone of the rig, written `node/device`. It stays the same across reboots and re-plugging.
public struct DeviceID: Hashable, Comparable, Sendable, CustomStringConvertible {
    public var node: NodeName
    public var device: DeviceName

    public init(node: NodeName, device: DeviceName) {
        self.node = node
        self.device = device
    }

    /// Parses `node/device`.
    public init(_ text: String) throws(InvalidName) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw InvalidName(subject: "device id (node/device)", text: String(text.prefix(64)))
        }
        self.init(node: try NodeName(String(parts[0])), device: try DeviceName(String(parts[1])))
    }

    public static func < (left: Self, right: Self) -> Bool {
        (left.node, left.device) < (right.node, right.device)
    }

    public var description: String { "\(node)/\(device)" }

    /// The name of this device's folder in a library or spool. Names contain no dot, so it is unambiguous.
    public var folderName: String { "\(node).\(device)" }
}

extension DeviceID: Codable {
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// One run of a process: a random number chosen at its start. Messages carry the epochs of the sender and the
/// addressee, so that messages for an earlier run are recognized and dropped.
public struct Epoch: Hashable, Sendable, CustomStringConvertible {
    /// Never 0, which represents "not known yet" on the wire.
    public let rawValue: UInt64

    public init?(rawValue: UInt64) {
        guard rawValue != 0 else { return nil }
        self.rawValue = rawValue
    }

    /// A random epoch.
    public static func random() -> Epoch {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    public static func random(using generator: inout some RandomNumberGenerator) -> Epoch {
        Epoch(rawValue: UInt64.random(in: 1...UInt64.max, using: &generator)) ?? random(using: &generator)
    }

    public var description: String {
        let digits = String(rawValue, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// Coded as its 16 hexadecimal digits, because some JSON readers do not keep 64 bits of a number.
extension Epoch: Codable {
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard text.utf8.count == 16, let number = UInt64(text, radix: 16), let epoch = Epoch(rawValue: number) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is not an epoch")
        }
        self = epoch
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

/// A short name that is safe in a file path, a topic and a log line: 1 to 24 of `a-z`, `0-9`, `-` and `_`, not starting
/// with `-` or `_`. Names from a peer are checked here, so they cannot form a path.
public struct Name<Subject: NamedSubject>: Hashable, Comparable, Sendable, CustomStringConvertible {
    public let rawValue: String

    /// - Throws: ``InvalidName``, which states what is allowed.
    public init(_ text: String) throws(InvalidName) {
        let bytes = Array(text.utf8)
        let legal = bytes.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
        }
        guard (1...24).contains(bytes.count), legal, bytes[0] != UInt8(ascii: "-"), bytes[0] != UInt8(ascii: "_") else {
            throw InvalidName(subject: Subject.subjectName, text: String(text.prefix(64)))
        }
        rawValue = text
    }

    public static func < (left: Self, right: Self) -> Bool {
        left.rawValue < right.rawValue
    }

    public var description: String { rawValue }
}

/// The kind of subject that a ``Name`` identifies.
public protocol NamedSubject: Sendable {
    /// The word used in error messages: `node`, `device`.
    static var subjectName: String { get }
}

public enum NodeSubject: NamedSubject {
    public static let subjectName = "node"
}

public enum DeviceSubject: NamedSubject {
    public static let subjectName = "device"
}

/// The name of a machine that runs one agent.
public typealias NodeName = Name<NodeSubject>

/// The name of a camera or microphone on its node.
public typealias DeviceName = Name<DeviceSubject>

/// A text that is not a valid ``Name``.
public struct InvalidName: Error, Hashable, CustomStringConvertible {
    public var subject: String
    public var text: String

    public var description: String {
        "'\(text)' cannot be a \(subject) name: use 1 to 24 of a-z, 0-9, '-' and '_', starting with a letter or digit"
    }
}

extension Name: Codable {
    public init(from decoder: any Decoder) throws {
        try self.init(decoder.singleValueContainer().decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// The originator of a command or query. Every command and query carries one.
public struct Principal: Hashable, Sendable {
    /// The name of the originator, such as `anna@studio-1`; at most ``longestName`` bytes of UTF-8.
    public let name: String
    /// Whether a key has proved the name. Otherwise, the name is only the client's claim.
    public let isAuthenticated: Bool

    public static let longestName = 128

    /// A client that does not give a name.
    public static let unnamed = Principal("unnamed", isAuthenticated: false)

    /// The coordinator itself.
    public static let coordinator = Principal("coordinator", isAuthenticated: true)

    private init(_ name: String, isAuthenticated: Bool) {
        self.name = name
        self.isAuthenticated = isAuthenticated
    }

    /// Creates the principal of a client that gives its name without proof.
    /// - Returns: nil if the name is empty, too long, or has characters that a log line cannot carry.
    public init?(claimed name: String) {
        guard !name.hasUnprintable else { return nil }
        self.init(recorded: name, isAuthenticated: false)
    }

    /// Creates the principal that a document of this rig names, such as a shot's manifest.
    /// - Returns: nil if the name is not valid for a principal.
    public init?(recorded name: String, isAuthenticated: Bool) {
        guard !name.isEmpty, name.utf8.count <= Self.longestName,
            name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { return nil }
        self.init(name, isAuthenticated: isAuthenticated)
    }
}
