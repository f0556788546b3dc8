import CaptureModel
import CaptureTestSupport
import Foundation
import Glibc
import Testing

/// A rig of two nodes with a camera of each kind, all of them stand-ins that know when they exposed.
private struct RigOfKinds {
    let rig: TestRig
    private let cameras: [String: any StandIn]
    private let processes: ProcessTable
    let network: GEVSensor
    let card: DSLR
    let stream: NetworkSensor

    /// The camera that has no stream.
    static let still = "node1/dslr"
    /// Those whose exposure can be set.
    static let settable = ["node1/aravis", "node1/libcamera", "node1/virtual"]

    static func started() async throws -> RigOfKinds {
        let network = try await GEVSensor.started(["--formats", "Mono8", "--squares"])
        let card = try await DSLR.started(["--lag", "80"])
        let driver = try await V4L2Sensor.started()
        let stream = try await NetworkSensor.started()
        let others: [(String, any StandIn)] = [
            ("command", try ProgramSensor(.command)), ("file", try RecordedFilm()),
            ("libcamera", try ProgramSensor(.libcamera)), ("rtsp", stream), ("virtual", DrawnCamera()),
        ]
        let processes = ProcessTable()
        var plans = [NodePlan(name: "node1", cameras: []), NodePlan(name: "node2", cameras: [])]
        (plans[0].spoolLimit, plans[0].recovery) = ("1 GiB", "{ failures: 1000 }")
        plans[0].environment = card.environment.merging(processes.environment) { $1 }
        plans[1].environment = driver.environment.merging(processes.environment) { $1 }
        var cameras: [String: any StandIn] = [:]
        func add(_ name: String, _ camera: any StandIn, to node: Int, _ change: (inout NodePlan.Camera) -> Void) {
            var device = camera.camera(name, number: cameras.count + 1)
            change(&device)
            plans[node].cameras.append(device)
            cameras["\(plans[node].name)/\(name)"] = camera
        }
        // What they tell of times is exact, and converted to a tenth of a millisecond.
        let exact = ["uncertainty: 1 ms"]
        add("aravis", network, to: 0) { ($0.isLive, $0.settings) = (true, exact) }
        for (name, camera) in others {
            add(name, camera, to: 0) { device in
                device.isLive = true
                if ["command", "libcamera"].contains(name) { device.settings = exact }
            }
        }
        add("v4l2", driver, to: 1) { $0.isLive = true }
        plans[0].cameras.append(
            card.camera(
                "dslr", number: cameras.count + 1, patience: 10_000,
                keys: ", lagMilliseconds: 90, settings: { iso: \"400\" }"))
        cameras[still] = card
        let rig = try await TestRig.started(plans)
        return RigOfKinds(
            rig: rig, cameras: cameras, processes: processes, network: network, card: card, stream: stream)
    }

    var names: [String] { cameras.keys.sorted() }

    /// The programs that drive cameras, which the agents have started.
    func helpers() throws -> [Int32] {
        let agents = try ["node1", "node2"].map { try rig.agent($0).processIdentifier }
        return try processes.running().filter { !agents.contains($0) }
    }

    /// The distance from T of each picture that is stored is what its camera says, within the bound that the rig tells.
    func expectTrueSkews(_ answer: ShotAnswer) throws {
        #expect(answer.shot.captures.map(\.device.id.description).sorted() == names)
        for capture in answer.shot.captures {
            guard let photo = capture.files.first(where: { $0.kind == .photo && $0.isStored })?.path else { continue }
            let timing = try #require(capture.timing)
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: "\(answer.folder)/\(photo)")))
            let picture = StoredPicture(bytes: bytes, shot: answer.shot, told: timing.midExposure.time)
            let skew = try truth(of: picture, by: capture) - answer.shot.time
            let error = timing.skewNanoseconds - skew.nanoseconds
            #expect(
                abs(error) <= timing.midExposure.boundNanoseconds,
                "\(capture.device.id) says \(timing.skewNanoseconds) ns and is off by \(error) ns")
        }
    }

    /// The same of each frame of a movie, by its sidecar.
    func expectTrueFrames(_ answer: TakeAnswer, _ capture: Capture) async throws {
        let lines = try MovieCheck.frames(answer.path(capture, .frames(.first)))
        let pictures = try await MovieCheck.pictures(of: answer.path(capture, .movie(.first)))
        #expect(lines.count == pictures.count && !lines.isEmpty)
        for (line, bytes) in zip(lines, pictures) {
            let told = RigTime(nanoseconds: line.rigTimeNanoseconds)
            let picture = StoredPicture(bytes: bytes, shot: answer.take, told: told)
            let error = try truth(of: picture, by: capture) - told
            #expect(
                error.magnitude <= .nanoseconds(line.boundNanoseconds),
                "frame \(line.number) of \(capture.device.id) is off by \(error), more than \(line.boundNanoseconds) ns"
            )
        }
    }

    private func truth(of picture: StoredPicture, by capture: Capture) throws -> RigTime {
        try #require(cameras[capture.device.id.description]).truth(of: picture)
    }

    /// Ends the programs, which leave nothing that they have started, and the cameras.
    func end() async throws {
        try await rig.end()
        try await processes.waitUntilNoneRuns(within: TestRig.patience)
        for camera in cameras.values { try await camera.stop() }
    }
}

extension System {
    /// Cameras of every kind that an agent can have, beside each other; each still and each frame is judged by its camera's own truth.
    @Suite(.timeLimit(.minutes(10)), .needs("exiftool", "ffprobe", "ffmpeg", "jpeginfo")) struct MixedRigTests {
        @Test("Takes a picture of one instant with a camera of each kind, and states truly how far each is from it")
        func stills() async throws {
            let kinds = try await RigOfKinds.started()
            let answer = try await kinds.rig.completeShot("--all", "--no-live")
            try kinds.expectTrueSkews(answer)
            try await StillCheck.expectValidMetadata(answer.storedPaths)
            try await StillCheck.expectDigests(answer.files)
            try await kinds.card.waitUntil("set 500f 400")
            try await kinds.card.waitUntil("deleted")
            try await kinds.end()
        }

        @Test("Takes Live Photos with a camera of each kind that streams, and a still with the one that does not")
        func livePhotos() async throws {
            let kinds = try await RigOfKinds.started()
            let answer = try await kinds.rig.completeShot("--all")
            try kinds.expectTrueSkews(answer)
            for capture in answer.shot.captures {
                let isStill = capture.device.id.description == RigOfKinds.still
                #expect(capture.files.map(\.kind) == (isStill ? [.photo] : [.photo, .pairedVideo]))
                guard !isStill else { continue }
                let paths = try capture.files.map { "\(answer.folder)/\(try #require($0.path))" }
                try await LivePhotoCheck.expectPaired(paths[0], paths[1])
                try await LivePhotoCheck.expectFrameTimes(paths[1], capture)
                let frame = try #require(capture.clip).stillFrame
                try await LivePhotoCheck.expectStillInside(paths[0], paths[1], frame: frame)
            }
            try await kinds.end()
        }

        @Test("Records a movie of each camera that streams, whose frames were exposed when the sidecars say")
        func movies() async throws {
            let kinds = try await RigOfKinds.started()
            let refused = try await kinds.rig.record("start", "--device", RigOfKinds.still, expecting: 4)
            #expect(refused.cameras.first?.problem?.message.contains("a movie is not supported") == true)
            let streams = kinds.names.filter { $0 != RigOfKinds.still }
            let take = try await kinds.rig.completeTake(of: .seconds(2), streams.flatMap { ["--device", $0] })
            #expect(take.take.captures.map(\.device.id.description).sorted() == streams)
            for capture in take.take.captures {
                #expect(try await !MovieCheck.expectSound(take, capture), "no camera has a microphone")
                try await kinds.expectTrueFrames(take, capture)
            }
            try await kinds.rig.expectStored(take.take, in: take.folder)
            try await kinds.end()
        }

        @Test(
            "Reports true distances or reasons while camera programs are killed and stopped, and runs each again")
        func faults() async throws {
            let kinds = try await RigOfKinds.started()
            _ = try await kinds.rig.completeShot("--all", "--no-live")
            let agent = try kinds.rig.agent("node1").processIdentifier
            let (before, helpers) = (try ProcessFigures(of: agent), try kinds.helpers().count)
            #expect(helpers == 4, "of the programs, the GigE Vision camera and the DSLR")
            var generator = SeededGenerator(seed: 31)
            for _ in 0..<25 {
                let victim = try kinds.helpers().randomElement(using: &generator)
                let isNetwork = Int.random(in: 0..<5, using: &generator) == 0
                if isNetwork {
                    kinds.stream.pause(true)
                } else if let victim {
                    kill(victim, Bool.random(using: &generator) ? SIGKILL : SIGSTOP)
                }
                let answer = try await kinds.rig.settledShot(.fresh(), ["--all", "--no-live"])
                try await kinds.rig.expectTruthful(answer.shot, in: answer.folder)
                try kinds.expectTrueSkews(answer)
                if isNetwork { kinds.stream.pause(false) }
            }
            try kinds.expectTrueSkews(try await kinds.rig.completeShot("--all", "--no-live"))
            let after = try ProcessFigures(of: agent)
            #expect(after.mebibytes < before.mebibytes + 64, "\(before), then \(after)")
            #expect(after.descriptors < before.descriptors + 16, "\(before), then \(after)")
            #expect(try kinds.helpers().count == helpers)
            try await kinds.end()
        }

        /// `capctl settings set --format json`, as far as this test reads it.
        private struct SettingsAnswer: Decodable, Sendable {
            var cameras: [Camera]

            struct Camera: Decodable, Sendable {
                var device: String
                var outcome: String
                var problem: RigProblem?
            }
        }

        @Test("Sets the exposure of each camera that has one, as its pictures show, and says why the others have none")
        func settings() async throws {
            let kinds = try await RigOfKinds.started()
            let id = try await setExposure(kinds)
            try await kinds.network.waitUntil("set ExposureTime 8000")
            let shot = try await pictures(of: id, kinds)
            try kinds.expectTrueSkews(shot)
            for capture in shot.shot.captures where RigOfKinds.settable.contains(capture.device.id.description) {
                #expect(capture.timing?.exposureNanoseconds == 8_000_000, "\(capture.device.id)")
                let path = "\(shot.folder)/\(try #require(capture.files.first?.path))"
                let exif = try await LivePhotoCheck.tool(["exiftool", "-s3", "-n", "-ExposureTime", path])
                #expect(exif.output == "0.008\n", "\(capture.device.id)")
                guard capture.device.id.description == "node1/libcamera" else { continue }
                let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
                #expect(try ProgramSensor.exposure(of: bytes) == .milliseconds(8))
            }
            try await kinds.end()
        }

        /// Sets it by a new transaction each time, until each camera that can has it.
        private func setExposure(_ kinds: RigOfKinds) async throws -> SettingsID {
            let deadline = ContinuousClock.now + TestRig.patience
            while true {
                let id = ShotID.fresh().description
                let outcome = try await kinds.rig.capctl.repeating(
                    "settings", "set", "exposure=8ms", "--all", "--id", id, "--format", "json")
                let answer = try outcome.json(SettingsAnswer.self)
                #expect(answer.cameras.map(\.device).sorted() == kinds.names && outcome.status != 0)
                for camera in answer.cameras where camera.outcome != "set" {
                    #expect(camera.problem?.message.isEmpty == false, "\(camera.device) is \(camera.outcome)")
                }
                let set = answer.cameras.filter { $0.outcome == "set" }.map(\.device).sorted()
                if set == RigOfKinds.settable { return try #require(SettingsID(id)) }
                #expect(Set(set).isSubset(of: RigOfKinds.settable))
                guard ContinuousClock.now < deadline else {
                    throw SystemTestError("not every camera is set: \(answer)")
                }
            }
        }

        /// A complete shot whose pictures have the settings of a transaction, where a camera has any.
        private func pictures(of id: SettingsID, _ kinds: RigOfKinds) async throws -> ShotAnswer {
            let deadline = ContinuousClock.now + TestRig.patience
            while true {
                let answer = try await kinds.rig.completeShot("--all", "--no-live")
                let set = answer.shot.captures.filter { $0.timing?.settings == .inForce(id) }
                if set.map(\.device.id.description).sorted() == RigOfKinds.settable { return answer }
                guard ContinuousClock.now < deadline else {
                    let others = Set(RigOfKinds.settable).subtracting(set.map(\.device.id.description))
                    throw SystemTestError("pictures without the settings: \(others.sorted())")
                }
            }
        }
    }
}
