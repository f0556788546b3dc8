import CaptureModel
import Foundation
import StrictJSON
import Testing

/// Requests for shots with each of their members wrong.
@Suite struct HostileShotRequestTests {
    /// Between them, they have every member that a request can have.
    private static let complete = [
        """
        {"selection": {"mediaType": "video", "nodes": ["n1"], "devices": ["n1/cam1"], "labels": ["set"],
           "choice": {"first": {"_0": [{"type": "wide", "position": "left"}], "per": "node"}}},
         "settings": {"quality": 90, "embedThumbnail": "whole", "previewSize": 320, "flash": "auto",
           "maxPhotoDimensions": {"width": 640, "height": 480}, "livePhoto": "required", "clipCodec": "h264",
           "motionPhoto": true, "raw": "withPhoto", "rawThumbnail": {"codec": "jpeg", "longerSide": 160},
           "codec": "heic"},
         "time": {"soon": {"lead": 500000000, "exact": false}}, "requireAll": true,
         "limits": {"maxSkewNanoseconds": 5000000, "maxBoundNanoseconds": "1000000", "onExcess": "refuse"}}
        """,
        """
        {"selection": {"choice": {"matching": {"_0": [{"type": "wide", "position": "left"}]}}},
         "settings": {"bracket": [{"exposureNanoseconds": 1000, "gain": 1}]},
         "time": {"relative": {"nanoseconds": -1}}}
        """,
        """
        {"selection": {"choice": {"all": {}}},
         "settings": {"movie": {"maxRecordedDurationNanoseconds": 60000000000, "maxRecordedFileSize": 90000000,
           "minFreeDiskSpaceLimit": 0, "segmentDurationNanoseconds": 1000000000, "segmentFileSize": 1000000}},
         "time": {"absolute": {"realtimeNanoseconds": 1795256143250000000}}}
        """,
    ]

    private func mistake(_ document: Any) throws -> InvalidDocument? {
        let bytes = try JSONSerialization.data(withJSONObject: document)
        do throws(InvalidDocument) {
            _ = try StrictJSON.decode(ShotRequest.self, from: bytes)
            return nil
        } catch {
            return error
        }
    }

    /// Whether a mistake is told at a member, or at the value around it, which then has fewer members than it must have.
    private func isTold(_ mistake: InvalidDocument?, at path: String) -> Bool {
        guard let mistake else { return false }
        return mistake.path == path || mistake.path.hasPrefix(path + ".") || mistake.path.hasPrefix(path + "[")
    }

    @Test func `The requests of these tests have every member`() throws {
        let requests = try Self.complete.map { try StrictJSON.decode(ShotRequest.self, from: $0.utf8) }
        var present: Set<String> = []
        for settings in requests.map(\.settings) {
            for (name, value) in Mirror(reflecting: settings).children {
                if let name, !Mirror(reflecting: value).children.isEmpty { present.insert(name) }
            }
        }
        #expect(present == Set(Mirror(reflecting: PhotoSettings()).children.compactMap(\.label)))
    }

    @Test(arguments: 0..<3)
    func `A member of another type is refused with its path`(index: Int) throws {
        let document = try JSONSerialization.jsonObject(with: Data(Self.complete[index].utf8))
        let others: [Any] = [[[1]], ["nope": 1], "\u{1}", 0.5, -1e30, true]
        var count = 0
        for place in Place.all(in: document) {
            for other in others
            where !(other is Bool && ["requireAll", "settings.motionPhoto", "time.soon.exact"].contains(place.path)) {
                let told = try mistake(place.replacing(in: document, with: other))
                #expect(isTold(told, at: place.path), "\(place.path): \(other): \(told?.description ?? "read")")
                count += 1
            }
        }
        #expect(count > 50)
    }

    @Test(arguments: 0..<3)
    func `A member that no document has is refused with its path, wherever it is`(index: Int) throws {
        let document = try JSONSerialization.jsonObject(with: Data(Self.complete[index].utf8))
        var count = 0
        for place in [Place()] + Place.all(in: document) where place.value(in: document) is [String: Any] {
            let changed = place.replacing(in: document, with: nil, adding: "nope")
            let path = place.path.isEmpty ? "nope" : "\(place.path).nope"
            let told = try mistake(changed)
            #expect(told?.path == path, "\(path): \(told?.description ?? "read")")
            #expect(told?.reason.contains("no such member") == true)
            count += 1
        }
        #expect(count > 5)
    }

    @Test(arguments: [
        ("settings.quality", #""quality":0"#), ("settings.quality", #""quality":101"#),
        ("settings.previewSize", #""previewSize":15"#), ("settings.previewSize", #""previewSize":4097"#),
        ("settings.bracket", #""bracket":[]"#), ("settings.bracket", #""bracket":[{},{},{},{},{},{}]"#),
        ("settings.bracket[1].exposureNanoseconds", #""bracket":[{},{"exposureNanoseconds":999}]"#),
        ("settings.bracket[0].exposureNanoseconds", #""bracket":[{"exposureNanoseconds":10000000001}]"#),
        ("settings.bracket[0].gain", #""bracket":[{"gain":2147483648}]"#),
        ("settings.maxPhotoDimensions.width", #""maxPhotoDimensions":{"width":0,"height":1}"#),
        ("settings.maxPhotoDimensions.height", #""maxPhotoDimensions":{"width":1,"height":65536}"#),
        ("settings.rawThumbnail.longerSide", #""raw":"only","rawThumbnail":{"longerSide":4097}"#),
        ("settings.rawThumbnail.longerSide", #""raw":"only","rawThumbnail":{"codec":"none","longerSide":160}"#),
        (
            "settings.movie.maxRecordedDurationNanoseconds",
            #""movie":{"maxRecordedDurationNanoseconds":86400000000001}"#
        ),
        ("settings.movie.maxRecordedFileSize", #""movie":{"maxRecordedFileSize":0}"#),
        ("settings.movie.minFreeDiskSpaceLimit", #""movie":{"minFreeDiskSpaceLimit":-1}"#),
        ("settings.movie.segmentDurationNanoseconds", #""movie":{"segmentDurationNanoseconds":999999999}"#),
        ("settings.movie.segmentFileSize", #""movie":{"segmentFileSize":999999}"#),
        ("settings.movie", #""movie":{"segmentFileSize":1000000,"maxRecordedFileSize":200000000}"#),
        ("settings.rawThumbnail", #""rawThumbnail":{"longerSide":160}"#),
        ("settings.bracket", #""raw":"withPhoto","bracket":[{}]"#),
        ("settings.bracket", #""codec":"heic","bracket":[{}]"#),
        ("settings.codec", #""codec":"heic","raw":"only""#),
        ("settings.motionPhoto", #""motionPhoto":true"#),
        ("settings.motionPhoto", #""motionPhoto":true,"livePhoto":"required","raw":"only""#),
        ("settings.clipCodec", #""clipCodec":"h264""#), ("settings.movie", #""movie":{},"quality":90"#),
        ("settings.movie", #""movie":{},"livePhoto":"required""#),
    ])
    func `A setting beyond its limits, or that contradicts another, is refused with its path`(
        path: String, settings: String
    ) throws {
        let text = #"{"selection":{"choice":{"all":{}}},"settings":{\#(settings)}}"#
        let told = try mistake(try JSONSerialization.jsonObject(with: Data(text.utf8)))
        #expect(told?.path == path, "\(told?.description ?? "read")")
    }

    @Test(arguments: [
        ("selection", #"{}"#), ("selection.choice", #"{"selection":{}}"#),
        ("selection.choice", #"{"selection":{"nodes":[],"labels":[]}}"#),
        ("selection.all", #"{"selection":{"nodes":["n"],"all":true}}"#),
        ("selection.type", #"{"selection":{"nodes":["n"],"type":"wide"}}"#),
        ("selection.nodes[1]", #"{"selection":{"nodes":["n","A B"]}}"#),
        ("selection.devices[0]", #"{"selection":{"devices":["../x/y"]}}"#),
        ("selection.labels[0]", #"{"selection":{"labels":[""]}}"#),
        ("selection.labels[1]", #"{"selection":{"labels":["a","b c"]}}"#),
        ("selection.choice", #"{"selection":{"choice":{}}}"#),
        ("selection.choice", #"{"selection":{"choice":{"all":{},"first":{}}}}"#),
        ("selection.choice.first.per", #"{"selection":{"choice":{"first":{"_0":[]}}}}"#),
        ("selection.choice.matching._0[0].type", #"{"selection":{"choice":{"matching":{"_0":[{"type":""}]}}}}"#),
        (
            "selection.choice.matching._0[0].position",
            #"{"selection":{"choice":{"matching":{"_0":[{"position":"\u001bc"}]}}}}"#
        ),
        ("time", #"{"selection":{"nodes":["n"]},"time":{}}"#),
        ("time", #"{"selection":{"nodes":["n"]},"time":{"lead":"1"}}"#),
        ("time", #"{"selection":{"nodes":["n"]},"time":{"soon":{},"relative":{"nanoseconds":1}}}"#),
        ("time.soon.lead", #"{"selection":{"nodes":["n"]},"time":{"soon":{"lead":-1}}}"#),
        ("time.relative", #"{"selection":{"nodes":["n"]},"time":{"relative":"-1"}}"#),
        ("time.relative.nanoseconds", #"{"selection":{"nodes":["n"]},"time":{"relative":{}}}"#),
        ("time.soon.exact", #"{"selection":{"nodes":["n"]},"time":{"soon":{"exact":1}}}"#),
        ("limits.maxSkewNanoseconds", #"{"selection":{"nodes":["n"]},"limits":{"maxSkewNanoseconds":999}}"#),
        ("limits.maxSkewNanoseconds", #"{"selection":{"nodes":["n"]},"limits":{"maxSkewNanoseconds":-5000}}"#),
        ("limits.maxBoundNanoseconds", #"{"selection":{"nodes":["n"]},"limits":{"maxBoundNanoseconds":60000000001}}"#),
        ("limits.onExcess", #"{"selection":{"nodes":["n"]},"limits":{"onExcess":"retry"}}"#),
        ("limits", #"{"selection":{"nodes":["n"]},"settings":{"movie":{}},"limits":{"maxSkewNanoseconds":5000}}"#),
        (
            "time.absolute.realtimeNanoseconds",
            #"{"selection":{"nodes":["n"]},"time":{"absolute":{"realtimeNanoseconds":-1}}}"#
        ),
    ])
    func `A selection, instant or limit that is none is refused with its path`(path: String, text: String) throws {
        let told = try mistake(try JSONSerialization.jsonObject(with: Data(text.utf8)))
        #expect(told?.path == path, "\(told?.description ?? "read")")
    }

    @Test func `A list that is too long is refused`() throws {
        func told(_ selection: [String: Any]) throws -> String? { try mistake(["selection": selection])?.path }
        #expect(try told(["nodes": [String](repeating: "n", count: 4097)]) == "selection.nodes")
        #expect(try told(["devices": [String](repeating: "n/a", count: 4097)]) == "selection.devices")
        #expect(try told(["labels": [String](repeating: "a", count: 33)]) == "selection.labels")
        let pairs = [[String: String]](repeating: [:], count: 33)
        #expect(try told(["choice": ["matching": ["_0": pairs]]]) == "selection.choice.matching._0")
        #expect(try told(["nodes": [String](repeating: "n", count: 4096)]) == nil)
    }

    @Test func `What a request omits is usual, and settings that are given are complete`() throws {
        func read(_ text: String) throws -> ShotRequest { try StrictJSON.decode(from: text.utf8) }
        let usual = try read(#"{"selection":{"choice":{"all":{}}}}"#)
        #expect(usual == ShotRequest(selection: Selection(), settings: PhotoSettings(livePhoto: .whereEnabled)))
        #expect(try read(#"{"selection":{"choice":{"all":{}}},"settings":{}}"#).settings == PhotoSettings())
        let some = try read(#"{"selection":{"labels":["set"]},"settings":{"raw":"only","rawThumbnail":{}}}"#)
        #expect(some.settings == PhotoSettings(raw: .only, rawThumbnail: RawThumbnailFormat()))
        #expect(some.selection == Selection(labels: ["set"]))
        let limited = try read(#"{"selection":{"labels":["set"]},"limits":{"maxSkewNanoseconds":5000}}"#)
        #expect(limited.limits == TimingLimits(maxSkew: .microseconds(5), onExcess: .mark))
        #expect(try read(#"{"selection":{"labels":["set"]},"limits":{}}"#).limits == TimingLimits())
        let first = try read(#"{"selection":{"choice":{"first":{"_0":[{"type":"wide"}],"per":"rig"}}}}"#)
        #expect(first.selection.choice == .first([TypeAndPosition(type: .wide)], per: .rig))
    }

    @Test func `A stored request has no usual values`() {
        let request = #"{"selection":{"choice":{"all":{}}},"settings":{},"time":{"soon":{}},"requireAll":false}"#
        let stored = Data(request.utf8)
        #expect(throws: DecodingError.self) { try JSONDecoder().decode(ShotRequest.self, from: stored) }
    }
}

/// A place in a JSON document.
private struct Place {
    var steps: [Step] = []

    enum Step {
        case member(String)
        case element(Int)
    }

    var path: String {
        steps.reduce("") { path, step in
            switch step {
            case .member(let name): path.isEmpty ? name : "\(path).\(name)"
            case .element(let index): "\(path)[\(index)]"
            }
        }
    }

    /// Every member and element.
    static func all(in value: Any) -> [Place] {
        let parts: [(Step, Any)] =
            switch value {
            case let members as [String: Any]: members.sorted { $0.key < $1.key }.map { (.member($0.key), $0.value) }
            case let elements as [Any]: elements.enumerated().map { (.element($0.offset), $0.element) }
            default: []
            }
        return parts.flatMap { step, part in
            [Place(steps: [step])] + all(in: part).map { Place(steps: [step] + $0.steps) }
        }
    }

    func value(in document: Any) -> Any? {
        steps.reduce(document as Any?) { value, step in
            switch step {
            case .member(let name): (value as? [String: Any])?[name]
            case .element(let index): (value as? [Any])?[index]
            }
        }
    }

    /// - Parameters:
    ///   - value: What is there in the returned document; nil for what is there already.
    ///   - member: A further member of the object that is there.
    func replacing(in document: Any, with value: Any?, adding member: String? = nil) -> Any {
        guard let step = steps.first else {
            var members = document as? [String: Any] ?? [:]
            if let member { members[member] = 1 }
            return value ?? members
        }
        let rest = Place(steps: Array(steps.dropFirst()))
        switch (step, document) {
        case (.member(let name), var members as [String: Any]):
            members[name] = rest.replacing(in: members[name] ?? NSNull(), with: value, adding: member)
            return members
        case (.element(let index), var elements as [Any]):
            elements[index] = rest.replacing(in: elements[index], with: value, adding: member)
            return elements
        default: return document
        }
    }
}
