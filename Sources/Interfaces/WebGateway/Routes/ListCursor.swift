internal import CaptureModel
internal import Foundation

/// Where a page of a list ends, for clients only to hand back: base64url (RFC 4648, section 5) of a version and of what the list is ordered by.
struct ListCursor: Hashable {
    private static let version: UInt8 = 1

    /// The last one of the page.
    var shot: ShotID

    init(after shot: ShotID) {
        self.shot = shot
    }

    /// Reads what ``text`` has returned; nil for anything else.
    init?(_ text: String) {
        let base64 = text.replacing("-", with: "+").replacing("_", with: "/")
        guard !text.contains(where: { "+/=".contains($0) }),
            let data = Data(base64Encoded: base64 + String(repeating: "=", count: (4 - base64.utf8.count % 4) % 4)),
            data.first == Self.version, let shot = ShotID(bytes: data.dropFirst())
        else { return nil }
        self.shot = shot
        guard self.text == text else { return nil }
    }

    var text: String {
        Data([Self.version] + shot.bytes).base64EncodedString()
            .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}
