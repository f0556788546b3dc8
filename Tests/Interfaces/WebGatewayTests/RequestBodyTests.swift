import CaptureModel
import Foundation
import Mosquitto
import Testing

@testable import WebGateway

/// That a mistake in a body is told with the path of its member. The paths are those of docs/api/openapi.yaml.
@Suite struct RequestBodyTests {
    private static let made = {
        var generator = SystemRandomNumberGenerator()
        return ShotID(unixMilliseconds: 1, using: &generator)
    }()

    private func detail<Body: RequestDocument>(_ text: String, of read: (Body) throws -> some Any) -> String? {
        do {
            _ = try read(try Body.read(Data(text.utf8)))
            return nil
        } catch {
            return (error as? GatewayProblem)?.detail ?? "\(error)"
        }
    }

    private func shotDetail(_ members: String) -> String? {
        detail("{\(members)}") { (body: TriggerBody) in try body.request(made: Self.made) }
    }

    @Test(
        arguments: [
            ("selection", #""time":{}"#), ("selection", #""selection":[]"#), ("selection", #""selection":{}"#),
            ("fast", #""selection":{"all":true},"fast":true"#), ("shot", #""shot":7"#), ("shot", #""shot":"x""#),
            ("selection.all", #""selection":{"all":1}"#), ("selection.node", #""selection":{"node":["n"]}"#),
            ("selection.nodes", #""selection":{"nodes":"n"}"#),
            ("selection.nodes[1]", #""selection":{"nodes":["n","A B"]}"#),
            ("selection.devices[2]", #""selection":{"devices":["n/a","n/b","c"]}"#),
            ("selection.devices[1]", #""selection":{"devices":["n/a",5]}"#),
            ("selection.labels[0]", #""selection":{"labels":[null]}"#),
            ("selection.type", #""selection":{"type":""}"#), ("selection.position", #""selection":{"position":""}"#),
            ("requireAll", #""selection":{"all":true},"requireAll":"yes""#),
        ])
    func `A mistake in a selection is told with the path of its member`(path: String, members: String) throws {
        let told = try #require(shotDetail(members))
        #expect(told.hasPrefix("\(path): "), "\(told)")
    }

    @Test(
        arguments: [
            ("quality", #""quality":101"#), ("quality", #""quality":"90""#),
            ("previewSize", #""previewSize":15"#), ("raw", #""raw":"yes""#), ("raw", #""raw":true"#),
            ("codec", #""codec":"png""#), ("flash", #""flash":"bright""#), ("livePhoto", #""livePhoto":"yes""#),
            ("rawThumbnail", #""rawThumbnail":{}"#), ("rawThumbnail.side", #""rawThumbnail":{"side":1}"#),
            ("rawThumbnail.codec", #""raw":"only","rawThumbnail":{"codec":"png"}"#),
            ("rawThumbnail.longerSide", #""raw":"only","rawThumbnail":{"longerSide":15}"#),
            ("maxPhotoDimensions.width", #""maxPhotoDimensions":{"width":0,"height":1}"#),
            ("maxPhotoDimensions.height", #""maxPhotoDimensions":{"width":1,"height":65536}"#),
            ("maxPhotoDimensions.height", #""maxPhotoDimensions":{"width":1}"#),
        ])
    func `A mistake in the settings of a shot is told with the path of its member`(
        path: String, members: String
    ) throws {
        let told = try #require(shotDetail(#""selection":{"all":true},"settings":{\#(members)}"#))
        #expect(told.hasPrefix("settings.\(path): "), "\(told)")
    }

    @Test(
        arguments: [
            ("lead", #""lead":"-1""#), ("lead", #""lead":"1.5""#), ("lead", #""lead":1"#),
            ("relative", #""relative":"x""#), ("at", #""at":"2026-11-26T18:00:00""#), ("when", #""when":"now""#),
        ])
    func `A mistake in an instant is told with the path of its member`(path: String, members: String) throws {
        let told = try #require(shotDetail(#""selection":{"all":true},"time":{\#(members)}"#))
        #expect(told.hasPrefix("time.\(path): "), "\(told)")
    }

    @Test(
        arguments: [
            ("cameras[1].settings", #"{"device":"n/a","settings":"exposure=8ms"},{"device":"n/b","settings":""}"#),
            ("cameras[1].device", #"{"device":"n/a","settings":"gain=1%"},{"device":"n/a","settings":"gain=1%"}"#),
            ("cameras[0].device", #"{"device":"cam","settings":"exposure=8ms"}"#),
            ("cameras[0].settings", #"{"device":"n/a"}"#), ("cameras[0].gain", #"{"device":"n/a","gain":1}"#),
        ])
    func `A mistake in the settings of one camera is told with its place in the list`(
        path: String, cameras: String
    ) throws {
        let text = #"{"selection":{"all":true},"cameras":[\#(cameras)]}"#
        let told = detail(text) { (body: SettingsBody) in
            var generator = SystemRandomNumberGenerator()
            return try body.request(made: SettingsID(unixMilliseconds: 1, using: &generator))
        }
        #expect(try #require(told).hasPrefix("\(path): "), "\(told ?? "")")
    }

    @Test(
        arguments: [
            ("reference", "{}"), ("reference", #"{"reference":"cam"}"#),
            ("card.red", #"{"card":{"green":1,"blue":1}}"#),
            ("card", #"{"card":{"red":2,"green":1,"blue":1}}"#), ("frames", #"{"grayWorld":true,"frames":0}"#),
            ("tolerance", #"{"grayWorld":true,"tolerance":1}"#), ("target.x", #"{"reference":"n/a","target":{}}"#),
            ("target", #"{"reference":"n/a","target":{"x":2,"y":0,"width":1,"height":1}}"#),
        ])
    func `A mistake in a match is told with the path of its member`(path: String, text: String) throws {
        let told = try #require(detail(text) { (body: MatchBody) in try body.order })
        #expect(told.hasPrefix("\(path): "), "\(told)")
    }

    @Test(
        arguments: [
            ("movie.maxSize", #""movie":{"maxSize":"0"}"#), ("movie.segment", #""movie":{"segment":"1"}"#),
            ("movie.minFree", #""movie":{"minFree":1}"#), ("movie.length", #""movie":{"length":"1"}"#),
        ])
    func `A mistake in a take is told with the path of its member`(path: String, members: String) throws {
        let text = #"{"selection":{"all":true},\#(members)}"#
        let told = try #require(detail(text) { (body: TakeBody) in try body.request(made: Self.made) })
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
        let told = try #require(shotDetail(#""selection":{"all":true},\#(member)"#))
        #expect(told.hasPrefix("settings.\(name): not supported: ") && told.contains(reason), "\(told)")

        let message = #"{"id":"a","sent":"2026-11-18T11:06:40Z","selection":{"all":true},\#(member)}"#
        let problem = #expect(throws: GatewayProblem.self) {
            try MQTTTrigger(
                MQTTMessage("caprig/rig/trigger", Array(message.utf8), isRetained: false), base: "caprig/rig",
                now: 1_795_000_000_000_000_000)
        }
        #expect(problem?.detail == told)
    }

    @Test func `A movie's stabilization is refused by name with the reason`() throws {
        let text = #"{"selection":{"all":true},"movie":{"preferredVideoStabilizationMode":"auto"}}"#
        let told = try #require(detail(text) { (body: TakeBody) in try body.request(made: Self.made) })
        #expect(told.hasPrefix("movie.preferredVideoStabilizationMode: not supported: V4L2 has no control"), "\(told)")
    }

    @Test(
        arguments: [
            ("", .whereEnabled), (#","settings":{}"#, .whereEnabled), (#","settings":{"quality":5}"#, .whereEnabled),
            (#","settings":{"livePhoto":true}"#, .whereEnabled), (#","settings":{"livePhoto":false}"#, nil),
        ] as [(String, LivePhotoRequest?)])
    func `A shot has clips of cameras that can take them unless it says no`(
        more: String, expected: LivePhotoRequest?
    ) throws {
        let text = #"{"selection":{"all":true}\#(more)}"#
        let body = try TriggerBody.read(Data(text.utf8))
        #expect(try body.request(made: Self.made).request.settings.livePhoto == expected)

        let message = #"{"id":"a","sent":"2026-11-18T11:06:40Z","selection":{"all":true}\#(more)}"#
        let trigger = try MQTTTrigger(
            MQTTMessage("caprig/rig/trigger", Array(message.utf8), isRetained: false), base: "caprig/rig",
            now: 1_795_000_000_000_000_000)
        #expect(trigger.request.request.settings.livePhoto == expected)
    }
}
