import CaptureModel
import CaptureTestSupport
import Testing

extension System {
    /// Each capability of the programs once, in a way that does not depend on how quick the machine is: a camera may lose frames,
    /// and a shot pictures, as long as the rig says so and takes a complete one in the end. The other suites are stricter.
    @Suite(.timeLimit(.minutes(10))) enum CapabilityTests {
        /// Cameras with small pictures and few frames, which a machine with other work has processors for.
        static func nodes(_ count: Int, change: (inout NodePlan.Camera) -> Void = { _ in }) -> [NodePlan] {
            NodePlan.nodes(count, cameras: 1) { camera in
                (camera.width, camera.height, camera.framesPerSecond) = (320, 184, 5)
                change(&camera)
            }
        }
    }
}

extension System.CapabilityTests {
    /// Two nodes: a camera with clips on one; a plain camera, and one of a Bayer sensor, on the other.
    private static var capturingNodes: [NodePlan] {
        var plans = nodes(2) { $0.isLive = $0.number == 1 }
        var bayer = plans[1].cameras[0]
        // Large enough that the time code can be read from the mosaic.
        (bayer.name, bayer.number, bayer.width, bayer.height) = ("cam2", 3, 640, 360)
        bayer.settings = ["raw: true", "format: { pixelFormat: RG16 }"]
        plans[1].cameras.append(bayer)
        return plans
    }

    /// What cameras take: one rig takes it all.
    @Suite(.sharing(capturingNodes)) struct CaptureTests {
        private let rig: TestRig

        init() throws {
            rig = try SharedRig.current
        }

        @Test(
            "Takes one picture of one instant with every camera of two nodes, once for each id",
            .needs("exiftool", "jpeginfo"))
        func stills() async throws {
            let answer = try await rig.completeShot("--all", "--no-live")
            #expect(
                answer.files.map(\.device.description).sorted() == ["node1/cam1", "node2/cam1", "node2/cam2"])
            try StillCheck.expectTrueSkews(answer.shot, in: answer.folder)
            try await StillCheck.expectValidMetadata(answer.storedPaths)
            try await StillCheck.expectDigests(answer.files)
            let tags = ["exiftool", "-s3", "-q", "-n", "-SerialNumber", "-ImageSize"]
            let serials = try await LivePhotoCheck.tool(tags + answer.storedPaths).output.split(separator: "\n")
            #expect(serials.count == 6 && Set(serials).count == 5, "three cameras, pictures of two sizes: \(serials)")

            let stills = StillCheck.stills(in: rig.library)
            let again = try await rig.settledShot(answer.shot.id, ["--all", "--no-live"])
            #expect(again.shot == answer.shot && StillCheck.stills(in: rig.library) == stills)
            let other = try await rig.capctl.repeating("trigger", "--all", "--id", answer.shot.id.description)
            #expect(other.status == 4 && other.errors.contains("other content"), "\(other.errors)")
        }

        @Test("Takes a clip that contains its still", .needs("exiftool", "ffprobe", "ffmpeg"))
        func livePhoto() async throws {
            try await rig.awaitRing(reaching: .milliseconds(1600))
            let answer = try await rig.completeShot("--device", "node1/cam1", "--live")
            let capture = try #require(answer.shot.captures.first)
            #expect(capture.files.map(\.kind) == [.photo, .pairedVideo])
            let paths = try capture.files.map { "\(answer.folder)/\(try #require($0.path))" }
            try await LivePhotoCheck.expectPaired(paths[0], paths[1])
            try await LivePhotoCheck.expectFrameTimes(paths[1], capture)
            let frame = try #require(capture.clip).stillFrame
            try await LivePhotoCheck.expectStillInside(paths[0], paths[1], frame: frame)
        }

        @Test(
            "Stores the samples of the sensor beside the photo of the same exposure",
            .needs("exiftool", "raw-identify", "dcraw", "unprocessed_raw", "ffmpeg"))
        func raw() async throws {
            let answer = try await rig.completeShot("--device", "node2/cam2", "--raw+jpeg")
            let capture = try #require(answer.shot.captures.first)
            #expect(capture.files.map(\.kind) == [.photo, .alternatePhoto] && capture.rawNote == nil)
            let paths = try capture.files.map { "\(answer.folder)/\(try #require($0.path))" }
            let read = try await LivePhotoCheck.tool(["raw-identify", paths[1]])
            #expect(read.status == 0 && read.output.contains("is a "), "\(read.output)\(read.errors)")
            try await StillCheck.expectValidMetadata(paths)
            let samples = try await RawCheck.timeCode(of: paths[1], width: 640, height: 360)
            #expect(try samples == StillCheck.timeCode(of: paths[0]))
        }

        @Test("Records a take whose movies have the frames of their sidecars", .needs("ffprobe", "ffmpeg"))
        func movie() async throws {
            let take = try await rig.completeTake(of: .seconds(1), "--device", "node1/cam1", "--device", "node2/cam1")
            #expect(take.take.captures.count == 2)
            for capture in take.take.captures {
                #expect(capture.phase == .done && capture.movie?.end == .stopped)
                #expect(try await !MovieCheck.expectSound(take, capture), "no camera has a microphone")
            }
            try await rig.expectStored(take.take, in: take.folder)
            let id = take.take.id.description
            #expect(try await rig.capctl.repeating("takes", "list").output.contains(id))
            #expect(try await !rig.capctl.repeating("shots", "list").output.contains(id))
        }

        @Test("Sets the exposure of every camera, and undoes it", .needs("exiftool"))
        func settings() async throws {
            let deadline = ContinuousClock.now + TestRig.patience
            while try await !setAndUndo() {
                guard ContinuousClock.now < deadline else { throw SystemTestError("no undo has reached every camera") }
            }
        }

        /// - Returns: Whether the undo has reached every camera; of one whose node was away, that is not known.
        private func setAndUndo() async throws -> Bool {
            let (before, id) = try await rig.setAll("exposure=4ms", "gain=raw:6")
            let set = try await rig.values()
            #expect(set.values.allSatisfy { $0["gain"] == "6" && $0["exposure_time_absolute"] == "40" }, "\(set)")
            let answer = try await rig.shotOf(id)
            let exif = ["exiftool", "-s3", "-q", "-n", "-ExposureTime"]
            #expect(try await LivePhotoCheck.tool(exif + answer.storedPaths).output == "0.004\n0.004\n0.004\n")
            let undo = try await rig.transaction(["undo"], ShotID.fresh().description)
            #expect(undo.undoes == id.description && undo.cameras.map(\.device) == before.keys.sorted())
            if undo.isSet { #expect(try await rig.values() == before) }
            return undo.isSet
        }
    }
}

/// `capctl settings set` and `undo` with `--format json`, as far as these tests read it.
private struct SettingsAnswer: Decodable, Sendable {
    var cameras: [Camera]
    var settingsId: String
    var undoes: String?

    struct Camera: Decodable, Sendable {
        var device: String
        var outcome: String
        var problem: RigProblem?
    }

    var isSet: Bool { cameras.allSatisfy { $0.outcome == "set" } }
}

/// `capctl devices show --format json`, as far as these tests read it.
private struct DetailsAnswer: Decodable, Sendable {
    /// Absent as long as the node is away.
    var capabilities: Capabilities?

    struct Capabilities: Decodable, Sendable {
        var controls: [Control]
    }

    struct Control: Decodable, Sendable {
        var name: String
        var value: String?
    }

    var values: [String: String] {
        let controls = capabilities?.controls.filter { Self.names.contains($0.name) } ?? []
        return controls.reduce(into: [:]) { $0[$1.name] = $1.value }
    }

    private static let names = ["auto_exposure", "exposure_time_absolute", "gain"]
}

extension TestRig {
    private typealias Values = [String: [String: String]]

    /// What every camera has, read from the device.
    fileprivate func values() async throws -> [String: [String: String]] {
        var values: Values = [:]
        for camera in ["node1/cam1", "node2/cam1", "node2/cam2"] {
            let show = ["devices", "show", camera]
            let details = try await capctl.ask(DetailsAnswer.self, show, until: "\(camera) to tell its controls") {
                $0.capabilities != nil
            }
            values[camera] = details.values
        }
        return values
    }

    /// Gives every camera settings, by a new transaction each time until each of them has them.
    /// - Returns: What the cameras had before that transaction, and its id.
    fileprivate func setAll(_ settings: String...) async throws -> (before: [String: [String: String]], id: SettingsID)
    {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            let before = try await values()
            let id = ShotID.fresh().description
            let answer = try await transaction(["set"] + settings + ["--all"], id)
            #expect(answer.cameras.map(\.device) == before.keys.sorted())
            if answer.isSet { return (before, try #require(SettingsID(id))) }
            guard ContinuousClock.now < deadline else { throw SystemTestError("not every camera is set: \(answer)") }
        }
    }

    fileprivate func transaction(_ arguments: [String], _ id: String) async throws -> SettingsAnswer {
        let outcome = try await capctl.repeating(["settings"] + arguments + ["--id", id, "--format", "json"])
        let answer = try outcome.json(SettingsAnswer.self)
        #expect(answer.settingsId == id && outcome.status == (answer.isSet ? 0 : outcome.status))
        for camera in answer.cameras where camera.outcome != "set" {
            #expect(camera.problem?.message.isEmpty == false, "\(camera.device) is \(camera.outcome), nothing says why")
        }
        return answer
    }

    /// A complete shot whose pictures all have the settings of this transaction.
    fileprivate func shotOf(_ id: SettingsID) async throws -> ShotAnswer {
        let deadline = ContinuousClock.now + Self.patience
        while true {
            let answer = try await completeShot("--all", "--no-live")
            let settings = answer.shot.captures.map(\.timing?.settings)
            if settings.allSatisfy({ $0 == .inForce(id) }) { return answer }
            guard ContinuousClock.now < deadline else {
                throw SystemTestError("pictures of other settings: \(settings)")
            }
        }
    }
}
