public import CaptureModel
internal import StrictJSON

/// A document of the model that messages carry as JSON in UTF-8. Its members, and the limits of each, are the document's own.
public protocol WireDocument: Codable, ValidatedDocument {}

extension WireDocument {
    /// Reads the field of a message that has the document.
    /// - Throws: ``WireError`` with the path of the member that is wrong.
    public init(wire text: String) throws(WireError) {
        guard !text.isEmpty else {
            throw WireError(.missing, message: "\(Self.self)", reason: "is required and absent")
        }
        do throws(InvalidDocument) {
            self = try StrictJSON.decode(from: text.utf8)
        } catch {
            throw WireError(.invalid, message: "\(Self.self)", field: error.path, reason: error.reason)
        }
    }

    public var wire: String { StrictJSON.text(self) }
}

extension PhotoSettings: WireDocument {}
extension RequestedTime: WireDocument {}
extension Selection: WireDocument {}
extension ShotRequest: WireDocument {}
