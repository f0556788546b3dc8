public import CaptureModel
public import StrictJSON

/// A document of the model that messages carry as JSON in UTF-8. Its members, and the limits of each, are the document's own.
public protocol WireDocument: Codable, ValidatedDocument {
    typealias UnknownMembers = StrictJSON.UnknownMembers

    /// Whether it may have members that this version does not know.
    static var unknownMembers: UnknownMembers { get }

    /// Bytes of the longest one.
    static var longest: Int { get }

    /// The document as messages have it: without what is for its owner only, and with texts that are short and safe to display. The reader
    /// applies it too, since it trusts no writer.
    var inMessage: Self { get }
}

extension WireDocument {
    public static var unknownMembers: UnknownMembers { .refused }

    public static var longest: Int { StrictJSON.longest }

    public var inMessage: Self { self }

    /// Reads the field of a message that has the document.
    /// - Throws: ``WireError`` with the path of the member that is wrong.
    public init(wire text: String) throws(WireError) {
        var ignored = IgnoredMembers()
        try self.init(wire: text, ignored: &ignored)
    }

    /// Reads the field of a message that has the document, and counts the members that it has ignored.
    public init(wire text: String, ignored: inout IgnoredMembers) throws(WireError) {
        guard !text.isEmpty else {
            throw WireError(.missing, message: "\(Self.self)", reason: "is required and absent")
        }
        do throws(InvalidDocument) {
            let document = try StrictJSON.decode(
                Self.self, from: text.utf8, unknown: Self.unknownMembers, longest: Self.longest,
                ignored: &ignored)
            self = document.inMessage
        } catch {
            throw WireError(.invalid, message: "\(Self.self)", field: error.path, reason: error.reason)
        }
    }

    public var wire: String { StrictJSON.text(inMessage) }
}

extension PhotoSettings: WireDocument {}
extension RequestedTime: WireDocument {}
extension Selection: WireDocument {}
extension ShotRequest: WireDocument {}
