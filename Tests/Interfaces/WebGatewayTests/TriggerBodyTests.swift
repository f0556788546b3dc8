import CaptureModel
import Foundation
import Mosquitto
import ShotDocuments
import StrictJSON
import Testing

@testable import WebGateway

@Suite struct TriggerBodyTests {
    private static let manifests = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Storage/ShotDocumentsTests/Manifests")

    /// A manifest of each kind of shot, as the tests of their documents have it.
    private static let kinds = [
        "bracket", "cameraRaw", "everything", "failed", "largerStill", "late", "livePhoto", "missed", "motionPhoto",
        "open",
        "raw", "recording", "still", "take",
    ]

    private func read<Body: Decodable>(_ text: String, as type: Body.Type = Body.self) throws -> Body {
        try StrictJSON.decode(from: text.utf8)
    }

    /// `request` of a manifest, and the shot.
    private func stored(_ kind: String) throws -> (request: [String: Any], shot: Shot) {
        let bytes = try Data(contentsOf: Self.manifests.appending(path: "\(kind).json"))
        let manifest = try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
        return (try #require(manifest["request"] as? [String: Any]), try ShotManifest.decode(Array(bytes)))
    }

    @Test func `A request without an id gets none, and one with an id keeps it`() throws {
        let selection = #""selection":{"choice":{"all":{}}}"#
        #expect(try read("{\(selection)}", as: TriggerBody.self).shot == nil)
        #expect(try read("{\(selection)}", as: TakeBody.self).take == nil)
        let id = try #require(ShotID("019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50"))
        #expect(try read(#"{"shot":"\#(id)",\#(selection)}"#, as: TriggerBody.self).shot == id)
        #expect(try read(#"{"take":"\#(id)",\#(selection)}"#, as: TakeBody.self).take == id)
    }

    @Test func `Every kind of shot has a manifest here`() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.manifests.path(percentEncoded: false))
        #expect(files.sorted() == Self.kinds.map { "\($0).json" })
    }

    @Test(arguments: kinds) func `What a manifest has as its request asks for the same again`(kind: String) throws {
        let (request, shot) = try stored(kind)
        let bytes = try JSONSerialization.data(withJSONObject: request)
        #expect(try StrictJSON.read(ShotRequest.self, from: bytes) == shot.request)
        if kind == "everything" {
            // It has every member that there is, so that some contradict others, and no program has taken it.
            let refused = #expect(throws: InvalidDocument.self) { try posted(request, isTake: true) }
            #expect(refused?.path == "settings.movie")
            return
        }
        #expect(try posted(request, isTake: shot.request.settings.movie != nil) == shot.request)
        // As a client does that reads what it is answered.
        #expect(try read(StrictJSON.text(shot.request), as: ShotRequest.self) == shot.request)
    }

    private func posted(_ request: [String: Any], isTake: Bool) throws -> ShotRequest {
        let body = try JSONSerialization.data(withJSONObject: request)
        if isTake { return try StrictJSON.decode(TakeBody.self, from: body).request }
        let message = try JSONSerialization.data(
            withJSONObject: request.merging(["id": "a", "sent": "2026-11-18T11:06:40Z"]) { $1 })
        let trigger = try MQTTTrigger(
            MQTTMessage("caprig/rig/trigger", Array(message), isRetained: false), base: "caprig/rig",
            now: 1_795_000_000_000_000_000)
        let posted = try StrictJSON.decode(TriggerBody.self, from: body).request
        #expect(trigger.request.request == posted)
        return posted
    }

    @Test func `A take that says nothing of settings has a movie without limits`() throws {
        for settings in ["", #","settings":null"#, #","settings":{"movie":{}}"#] {
            let body = try read(#"{"selection":{"choice":{"all":{}}}\#(settings)}"#, as: TakeBody.self)
            #expect(body.request.settings == PhotoSettings(movie: MovieSettings()))
        }
    }

    @Test func `A body that is not an object is refused, and the reason told`() {
        for text in ["", "[]", "7", "null", #"{"selection""#, #"{"selection":{"choice":{"all":{}}}} {}"#] {
            let error = #expect(throws: InvalidDocument.self) { try read(text, as: TriggerBody.self) }
            #expect(error.map { GatewayProblem($0).detail.hasPrefix("the body ") } == true, "\(text)")
        }
    }
}
