import CaptureModel
import CaptureTestSupport
import Foundation
import Testing

extension System.CapabilityTests {
    /// A DSLR, whose pictures are taken when they are asked for.
    @Suite struct GPhotoTests {
        @Test("Takes pictures with a DSLR beside another camera, as it has made them, and empties its card")
        func pictures() async throws {
            let camera = try await DSLR.started(["--lag", "80"])
            var plan = camera.plan(", lagMilliseconds: 90")
            plan.cameras += System.CapabilityTests.nodes(1)[0].cameras.map { other in
                var other = other
                other.name = "cam2"
                return other
            }
            let rig = try await TestRig.started([plan])
            for number in 1...2 {
                let answer = try await rig.completeShot("--all", "--no-live")
                let capture = try #require(answer.shot.captures.first { $0.device.id.device.rawValue == "cam1" })
                let (timing, file) = (try #require(capture.timing), try #require(capture.files.first))
                #expect(capture.files.count == 1 && file.kind == .photo)
                let truth = try DSLR.truth(of: "\(answer.folder)/\(try #require(file.path))")
                #expect((truth - timing.localMidExposure).magnitude <= timing.midExposure.bound)
                #expect(capture.resolved?.width == 320 && capture.resolved?.height == 240)
                try await camera.waitUntil("deleted", count: number)
            }
            let refused = try await rig.capctl.repeating("trigger", "--device", "node1/cam1", "--at", "-1s")
            #expect(refused.status != 0)
            try await rig.end()
            let record = try await camera.end()
            #expect(record.removed.count >= 2 && record.exposed.count >= record.removed.count)
        }

        @Test(
            "Stores image and raw file of a DSLR as two files of one capture, and empties its card of both",
            .needs("exiftool"))
        func pairs() async throws {
            let camera = try await DSLR.started(["--raw", "--lag", "80"])
            let rig = try await TestRig.started([camera.plan(raw: true)])
            for number in 1...2 {
                let answer = try await rig.completeShot("--all", "--no-live", "--raw+jpeg")
                let capture = try #require(answer.shot.captures.first)
                #expect(
                    capture.files.map(\.kind) == [.photo, .cameraRaw(.nef)] && capture.resolved?.raw == .cameraFile)
                let paths = try capture.files.map { "\(answer.folder)/\(try #require($0.path))" }
                #expect(paths[1].hasSuffix("/node1.cam1/cameraRaw.nef"))
                let told = try await LivePhotoCheck.tool(
                    ["exiftool", "-s3", "-Comment", "-ImageDescription"] + paths
                ).output.split(separator: "\n").filter { $0.hasPrefix("exposed ") }
                #expect(told.count == 2 && Set(told).count == 1, "both are of one exposure: \(told)")
                let timing = try #require(capture.timing)
                let truth = try DSLR.truth(of: paths[1])
                #expect((truth - timing.localMidExposure).magnitude <= timing.midExposure.bound)
                try await expectCopied(paths, of: camera)
                try await camera.waitUntil("deleted", count: number * 2)
            }
            // A shot that asks for none leaves the raw file on the card.
            let plain = try await rig.completeShot("--all", "--no-live")
            let file = try #require(plain.shot.captures.first?.files.first)
            #expect(plain.shot.captures.first?.files.count == 1 && file.kind == .photo)
            try await camera.waitUntil("deleted", count: 5)
            let truth = try DSLR.truth(of: "\(plain.folder)/\(try #require(file.path))")
            try await rig.end()
            #expect(try await camera.end().removals.count { $0 == truth } <= 1)
        }

        /// The files are those of the card, as other programs see them.
        private func expectCopied(_ paths: [String], of camera: DSLR) async throws {
            func sums(_ paths: [String]) async throws -> Set<Substring> {
                let lines = try await LivePhotoCheck.tool(["sha256sum"] + paths).output.split(separator: "\n")
                return Set(lines.map { $0.prefix(64) })
            }
            let (found, copies) = (try await sums(paths), try await sums(camera.copies))
            #expect(found.count == paths.count && found.isSubset(of: copies))
        }

        @Test("Says which file of a pair a DSLR has not stored, and stores the other one", arguments: ["raw", "image"])
        func half(_ lost: String) async throws {
            let camera = try await DSLR.started(["--raw", "--lost-\(lost)", "1"])
            let rig = try await TestRig.started([camera.plan(", secondsPerPicture: 1", raw: true)])
            let answer = try await rig.settledShot(.fresh(), ["--all", "--no-live", "--raw+jpeg"])
            let capture = try #require(answer.shot.captures.first)
            try #require(capture.timing != nil, "\(capture)")
            #expect(capture.phase == (lost == "raw" ? .partial : .failed))
            let missing = try #require(capture.files.first { !$0.isStored })
            #expect(missing.kind == (lost == "raw" ? .alternatePhoto : .photo) && missing.outcome == .failed)
            #expect(missing.problem?.message.contains("DSC_0001.\(lost == "raw" ? "JPG" : "NEF")") == true)
            let stored = try #require(capture.files.first { $0.isStored })
            #expect(stored.kind == (lost == "raw" ? .photo : .cameraRaw(.nef)))
            try await expectCopied(["\(answer.folder)/\(try #require(stored.path))"], of: camera)
            try await camera.waitUntil("deleted")
            // The next picture has both.
            let next = try await rig.completeShot("--all", "--no-live", "--raw+jpeg")
            #expect(next.shot.captures.first?.files.map(\.kind) == [.photo, .cameraRaw(.nef)])
            try await rig.end()
            _ = try await camera.end()
        }
    }
}

extension System {
    /// Several DSLRs of one node. Each looks into the library at the moment in which it is told to remove a file.
    @Suite(.timeLimit(.minutes(10))) struct GPhotoManyTests {
        private struct Studio {
            let cameras: [DSLR]
            let rig: TestRig
            let library: TemporaryFolder
            /// Whether its shots ask for image and raw file.
            let isOfPairs: Bool

            /// - Parameters:
            ///   - options: Of each camera.
            ///   - count: Of cameras.
            ///   - isOfPairs: Whether its shots ask for image and raw file.
            ///   - faults: What goes wrong in the agent.
            static func started(
                _ options: [String], count: Int = 16, isOfPairs: Bool = false, faults: [String] = []
            ) async throws -> Studio {
                let library = try TemporaryFolder()
                var cameras: [DSLR] = []
                for number in 1...count {
                    let own = ["--serial", "FAKE\(number)", "--seed", "\(number)", "--library", library.path]
                    cameras.append(try await DSLR.started(own + options + (isOfPairs ? ["--raw"] : [])))
                }
                let rig = try await TestRig.started(
                    [DSLR.node(cameras, raw: isOfPairs)], library: library.path + "/library", agentFaults: faults)
                return Studio(cameras: cameras, rig: rig, library: library, isOfPairs: isOfPairs)
            }

            var count: Int { cameras.count }
            private var filesOfPicture: Int { isOfPairs ? 2 : 1 }

            /// Waits until each camera has removed so many pictures, and ends everything. What was removed, the library has, with both files of
            /// a pair, and had then; each picture of the library was exposed by the camera whose it is.
            func end(removed count: Int) async throws {
                for camera in cameras { try await camera.waitUntil("deleted", count: count * filesOfPicture) }
                try await rig.end()
                let (images, raws) = (StillCheck.stills(in: rig.library), DSLR.raws(in: rig.library))
                for (index, camera) in cameras.enumerated() {
                    func own(_ paths: [String]) throws -> Set<LocalTime> {
                        Set(try paths.filter { $0.contains("cam\(index + 1)/") }.map { try DSLR.truth(of: $0) })
                    }
                    let (ofImages, ofRaws) = (try own(images), try own(raws))
                    let stored = isOfPairs ? ofImages.intersection(ofRaws) : ofImages
                    let record = try await camera.end()
                    #expect(ofImages.union(ofRaws).isSubset(of: record.exposed), "camera \(index + 1)")
                    #expect(stored.count >= count, "camera \(index + 1)")
                    #expect(record.lost.isEmpty && record.removed.isSubset(of: stored), "camera \(index + 1)")
                }
            }

            /// Has the agent killed while it takes a shot, starts it again, and takes another shot.
            /// - Parameter kill: Returns when the agent has ended.
            func takeAcross(_ kill: () async throws -> Void) async throws {
                let id = ShotID.fresh()
                // So that a busy node is not too late for any of them.
                let options = ["--all", "--no-live", "--lead", "5s"] + (isOfPairs ? ["--raw+jpeg"] : [])
                let trigger = try rig.startTrigger(options + ["--id", id.description, "--timeout", "60s"])
                try await kill()
                try await rig.startAgent("node1", isFaulty: false)
                _ = try await Capctl.outcome(of: trigger)
                let answer = try await rig.settledShot(id, options)
                #expect(answer.shot.captures.count == count)
                try await rig.expectTruthful(answer.shot, in: answer.folder)
                try await rig.awaitReadiness()
                #expect(try await rig.completeShot(options).files.count == count * filesOfPicture)
            }
        }

        @Test("Takes the pictures of all of sixteen cameras, and removes none before the library has it")
        func sixteen() async throws {
            let studio = try await Studio.started(["--lag", "30", "--jitter", "50"])
            for _ in 1...3 {
                let options = ["--all", "--no-live", "--lead", "5s", "--timeout", "60s"]
                let outcome = try await Capctl.outcome(of: studio.rig.startTrigger(options))
                #expect(outcome.status == 0, "\(outcome.errors)\n\(outcome.output)")
                let answer = try outcome.json(ShotAnswer.self)
                #expect(answer.files.count == studio.count && answer.files.allSatisfy { $0.outcome == .done })
                for capture in answer.shot.captures {
                    let timing = try #require(capture.timing)
                    let path = try #require(capture.files.first?.path)
                    let error = try DSLR.truth(of: "\(answer.folder)/\(path)") - timing.localMidExposure
                    #expect(error.magnitude <= timing.midExposure.bound, "\(capture.device.id)")
                }
                try await studio.rig.expectSound(answer)
            }
            try await studio.end(removed: 3)
        }

        /// Where the agent is killed, each when half of the cameras have passed.
        private static let steps = [
            "session.wait.frame", "session.wait.store", "spool.capture.filesDurable", "spool.capture.durable",
            "spool.capture.released",
        ]

        @Test("Removes no picture that the library does not have, wherever the agent crashes", arguments: steps)
        func killed(_ step: String) async throws {
            let studio = try await Studio.started([], faults: ["\(step)=crash,hit=8"])
            try await studio.takeAcross {
                _ = try await studio.rig.agent("node1").exitStatus(within: TestRig.patience)
            }
            try await studio.end(removed: 1)
        }

        @Test(
            "Removes neither image nor raw file before the library has both, wherever the agent crashes",
            arguments: steps)
        func killedWithPair(_ step: String) async throws {
            let studio = try await Studio.started([], count: 4, isOfPairs: true, faults: ["\(step)=crash,hit=2"])
            try await studio.takeAcross {
                _ = try await studio.rig.agent("node1").exitStatus(within: TestRig.patience)
            }
            try await studio.end(removed: 1)
        }

        @Test("Removes no picture that the library does not have, if the agent is killed in its downloads")
        func killedInDownload() async throws {
            let studio = try await Studio.started(["--rate", "12000"])
            try await studio.takeAcross {
                try await studio.cameras[0].waitUntil("exposed")
                try await studio.rig.kill("node1")
            }
            try await studio.end(removed: 1)
        }
    }
}
