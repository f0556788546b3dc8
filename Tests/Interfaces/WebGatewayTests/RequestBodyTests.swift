import CaptureModel
import Mosquitto
import StrictJSON
import Testing

@testable import WebGateway

/// That a mistake in a body is told with the path of its member. The paths are those of docs/api/openapi.yaml.
@Suite struct RequestBodyTests {
    private static let all = #""selection":{"choice":{"all":{}}}"#

    private func detail<Body: Decodable>(_ text: String, of read: (Body) throws -> some Any) -> String? {
        do {
            _ = try read(try StrictJSON.decode(from: text.utf8))
            return nil
        } catch let error as InvalidDocument {
            return GatewayProblem(error).detail
        } catch {
            return (error as? GatewayProblem)?.detail ?? "\(error)"
        }
    }

    private func shotDetail(_ members: String) -> String? {
        detail("{\(members)}") { (body: TriggerBody) in body.request }
    }

    @Test(
        arguments: [
            ("selection", #""time":{"soon":{}}"#), ("selection", #""selection":[]"#),
            ("selection.choice", #""selection":{}"#), ("fast", all + #","fast":true"#), ("shot", all + #","shot":7"#),
            ("shot", all + #","shot":"x""#), ("selection.nodes", #""selection":{"nodes":"n"}"#),
            ("selection.devices[1]", #""selection":{"devices":["n/a",5]}"#),
            ("requireAll", all + #","requireAll":"yes""#), ("settings.quality", all + #","settings":{"quality":"90"}"#),
            ("settings.movie", all + #","settings":{"movie":{}}"#), ("time", all + #","time":{"lead":"1"}"#),
            ("take", all + #","take":"019a2c5e-7b5a-7c3e-9f0e-3d6c1a2b4f50""#),
        ])
    func `A mistake in a request for a shot is told with the path of its member`(path: String, members: String) throws {
        let told = try #require(shotDetail(members))
        #expect(told.hasPrefix("\(path): "), "\(told)")
    }

    @Test(
        arguments: [
            ("cameras[1].settings", #"{"device":"n/a","settings":"exposure=8ms"},{"device":"n/b","settings":""}"#),
            ("cameras[1].device", #"{"device":"n/a","settings":"gain=1%"},{"device":"n/a","settings":"gain=1%"}"#),
            ("cameras[0].device", #"{"device":"cam","settings":"exposure=8ms"}"#),
            ("cameras[0].settings", #"{"device":"n/a"}"#),
            ("cameras[0].gain", #"{"device":"n/a","settings":"gain=1%","gain":1}"#),
        ])
    func `A mistake in the settings of one camera is told with its place in the list`(
        path: String, cameras: String
    ) throws {
        let text = #"{\#(Self.all),"cameras":[\#(cameras)]}"#
        let told = detail(text) { (body: SettingsBody) in
            var generator = SystemRandomNumberGenerator()
            return try body.request(made: SettingsID(unixMilliseconds: 1, using: &generator))
        }
        #expect(try #require(told).hasPrefix("\(path): "), "\(told ?? "")")
    }

    @Test(
        arguments: [
            ("selection", "{}"), ("reference", "{\(all)}"), ("reference", #"{\#(all),"reference":"cam"}"#),
            ("card.red", #"{\#(all),"card":{"green":1,"blue":1}}"#),
            ("card", #"{\#(all),"card":{"red":2,"green":1,"blue":1}}"#),
            ("frames", #"{\#(all),"grayWorld":true,"frames":0}"#),
            ("tolerance", #"{\#(all),"grayWorld":true,"tolerance":1}"#),
            ("target.x", #"{\#(all),"reference":"n/a","target":{}}"#),
            ("target", #"{\#(all),"reference":"n/a","target":{"x":2,"y":0,"width":1,"height":1}}"#),
        ])
    func `A mistake in a match is told with the path of its member`(path: String, text: String) throws {
        let told = try #require(detail(text) { (body: MatchBody) in try body.order })
        #expect(told.hasPrefix("\(path): "), "\(told)")
    }

    @Test(
        arguments: [
            ("settings.movie.maxRecordedFileSize", #""settings":{"movie":{"maxRecordedFileSize":0}}"#),
            ("settings.movie.length", #""settings":{"movie":{"length":1}}"#),
            ("movie", #""movie":{"maxDuration":"1"}"#),
            ("settings.movie", #""settings":{}"#), ("settings.movie", #""settings":{"quality":90}"#),
            ("settings.movie", #""settings":{"movie":{},"quality":90}"#),
        ])
    func `A mistake in a take is told with the path of its member`(path: String, members: String) throws {
        let told = try #require(detail("{\(Self.all),\(members)}") { (body: TakeBody) in body.request })
        #expect(told.hasPrefix("\(path): "), "\(told)")
    }

    @Test(
        arguments: [
            ("redEyeReduction", "flashes before the picture"), ("depth", "measures distances"),
            ("isDepthDataDeliveryEnabled", "measures distances"), ("portraitEffectsMatte", "depth"),
            ("portraitMatte", "depth"), ("segmentationMattes", "skin"),
            ("enabledSemanticSegmentationMatteTypes", "skin"), ("stabilization", "V4L2 has no control"),
        ])
    func `What no camera has is refused by name with the reason`(name: String, reason: String) throws {
        let member = #""settings":{"\#(name)":true}"#
        let told = try #require(shotDetail("\(Self.all),\(member)"))
        #expect(told.hasPrefix("settings.\(name): not supported: ") && told.contains(reason), "\(told)")

        let message = #"{"id":"a","sent":"2026-11-18T11:06:40Z",\#(Self.all),\#(member)}"#
        let problem = #expect(throws: GatewayProblem.self) {
            try MQTTTrigger(
                MQTTMessage("caprig/rig/trigger", Array(message.utf8), isRetained: false), base: "caprig/rig",
                now: 1_795_000_000_000_000_000)
        }
        #expect(problem?.detail == told)
    }

    @Test func `A movie's stabilization is refused by name with the reason`() throws {
        let text = #"{\#(Self.all),"settings":{"movie":{"preferredVideoStabilizationMode":"auto"}}}"#
        let told = try #require(detail(text) { (body: TakeBody) in body.request })
        let path = "settings.movie.preferredVideoStabilizationMode"
        #expect(told.hasPrefix("\(path): not supported: V4L2 has no control"), "\(told)")
    }

    @Test(
        arguments: [
            ("", .whereEnabled), (#","settings":null"#, .whereEnabled), (#","settings":{}"#, nil),
            (#","settings":{"quality":5}"#, nil), (#","settings":{"livePhoto":"whereEnabled"}"#, .whereEnabled),
            (#","settings":{"livePhoto":"required"}"#, .required),
        ] as [(String, LivePhotoRequest?)])
    func `A shot has clips of cameras that can take them, unless its settings say nothing of clips`(
        more: String, expected: LivePhotoRequest?
    ) throws {
        let body = try StrictJSON.decode(TriggerBody.self, from: "{\(Self.all)\(more)}".utf8)
        #expect(body.request.settings.livePhoto == expected)

        let message = #"{"id":"a","sent":"2026-11-18T11:06:40Z",\#(Self.all)\#(more)}"#
        let trigger = try MQTTTrigger(
            MQTTMessage("caprig/rig/trigger", Array(message.utf8), isRetained: false), base: "caprig/rig",
            now: 1_795_000_000_000_000_000)
        #expect(trigger.request.request.settings.livePhoto == expected)
    }
}
