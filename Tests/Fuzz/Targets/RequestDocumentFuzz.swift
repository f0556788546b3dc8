import CaptureModel
import StrictJSON

/// A request for a shot as JSON, as every front end and every message has it.
enum RequestDocumentFuzz {
    static func run(_ bytes: [UInt8]) throws {
        let request: ShotRequest
        do throws(InvalidDocument) {
            request = try StrictJSON.decode(from: bytes)
        } catch {
            return try FuzzFinding.unless(!error.reason.isEmpty, "a document is refused without a reason")
        }
        let text = StrictJSON.text(request)
        guard let again = try? StrictJSON.decode(ShotRequest.self, from: text.utf8) else {
            throw FuzzFinding(description: "a request that was written is refused: \(text)")
        }
        try FuzzFinding.unless(again == request, "a request that was written says something else: \(text)")
        try FuzzFinding.unless(StrictJSON.text(again) == text, "a request is written in two ways: \(text)")
    }
}
