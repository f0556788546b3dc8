import CaptureModel
import CaptureTestSupport
import Foundation
import Testing
import TurboJPEG

extension System {
    /// `capctl shots list --format json`.
    private struct ListAnswer: Decodable {
        var shots: [Item]

        struct Item: Decodable {
            var id: ShotID
            var title: String
        }
    }

    @Suite(.timeLimit(.minutes(1))) struct LibrarySearchTests {
        @Test(
            "a crashed coordinator costs the index a shot or a title, or the coordinator and the folder answer differently"
        )
        func search() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 1))
            let first = try await rig.trigger("--all", expecting: 0).shot.id
            let second = try await rig.trigger("--node", "node2", expecting: 0).shot.id
            let edit = try await rig.capctl.run("shots", "edit", first.description, "--title", "Nordwand")
            #expect(edit.status == 0, "\(edit.errors)")
            for _ in 0..<2 {
                try await expect([second, first], rig, "--device", "node2/*")
                try await expect([first], rig, "--device", "node1/cam1")
                try await expect([first], rig, "--title", "NORD")
                try await expect([], rig, "--outcome", "missed")
                try await rig.kill("coordinator")
                try await rig.startCoordinator()
            }
            try await rig.end()
            try await expectInFolder([first], rig, "--title", "NORD")
            let index = try ExternalTool.run(
                "sqlite3", "-readonly", rig.library + "/.index/index.sqlite",
                "SELECT count(*), group_concat(title, '') FROM entry")
            #expect(index.output == "2|Nordwand\n")
        }

        /// Asks the coordinator, and reads the folder beside it.
        private func expect(_ ids: [ShotID], _ rig: TestRig, _ query: String...) async throws {
            let outcome = try await rig.capctl.run(["shots", "list", "--format", "json"] + query)
            #expect(try outcome.json(ListAnswer.self).shots.map(\.id) == ids, "\(query)")
            try await expectInFolder(ids, rig, query)
        }

        private func expectInFolder(_ ids: [ShotID], _ rig: TestRig, _ query: String...) async throws {
            try await expectInFolder(ids, rig, query)
        }

        private func expectInFolder(_ ids: [ShotID], _ rig: TestRig, _ query: [String]) async throws {
            let list = ["shots", "list", "--format", "json", "--library", rig.library]
            let outcome = try await rig.capctl.run(list + query)
            #expect(try outcome.json(ListAnswer.self).shots.map(\.id) == ids, "\(query) in the folder")
        }
    }
}

extension System {
    @Suite(.timeLimit(.minutes(1))) struct LightTests {
        @Test("Takes flash and bracket with every camera of the rig")
        func flashAndBracket() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 1))
            let plain = try await rig.trigger("--all", "--flash", "off", expecting: 0)
            let lit = try await rig.trigger("--all", "--flash", "on", "--lead", "2s", expecting: 0)
            for (dark, bright) in zip(plain.storedPaths, lit.storedPaths) {
                #expect(try Self.luma(of: dark) + 8 < Self.luma(of: bright))
            }
            #expect(plain.shot.captures.map(\.resolved?.isFlashUsed) == [false, false])
            #expect(lit.shot.captures.map(\.resolved?.isFlashUsed) == [true, true])

            let bracket = try await rig.trigger("--all", "--bracket", "2ms,8ms,32ms", "--lead", "2s", expecting: 0)
            try await rig.expectSound(bracket)
            for capture in bracket.shot.captures {
                let files = capture.files.compactMap(\.path)
                #expect(files.count == 3 && capture.resolved?.bracketCount == 3)
                let lumas = try files.map { try Self.luma(of: bracket.folder + "/" + $0) }
                #expect(lumas == lumas.sorted() && lumas[0] + 20 < lumas[2], "\(lumas)")
            }

            let soon = try await rig.trigger("--all", "--flash", "on", "--lead", "50ms", expecting: 4)
            #expect(soon.files.allSatisfy { $0.problem?.code == .tooSoon })
            let impossible = try await rig.trigger("--all", "--bracket", "@1000", expecting: 4)
            #expect(impossible.files.allSatisfy { $0.problem?.code == .unsupportedSettings })
            let after = try await rig.trigger("--all", expecting: 0)
            #expect(try abs(Self.luma(of: after.storedPaths[0]) - Self.luma(of: plain.storedPaths[0])) < 10)
            try await rig.end()
        }

        private static func luma(of file: String) throws -> Int {
            let bytes = [UInt8](try Data(contentsOf: URL(filePath: file)))
            var image = LumaImage()
            try JPEGDecoder().decodeLuma(bytes.span, scale: .eighth, into: &image)
            return image.bytes.reduce(0) { $0 + Int($1) } / max(image.bytes.count, 1)
        }
    }
}

extension System {
    @Suite(.timeLimit(.minutes(2))) struct MovedLibraryTests {
        private func rename(_ old: String, to new: String) throws {
            try FileManager.default.moveItem(atPath: old, toPath: new)
        }

        @Test func `a trigger does not end well with paths that are not there`() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 2))
            let before = try await rig.trigger("--all", expecting: 0)
            try rename(rig.library, to: rig.library + ".moved")
            for arguments in [["--all"], ["--all", "--id", "\(before.shot.id)"]] {
                let refused = try await rig.capctl.run(["trigger"] + arguments)
                #expect(refused.status == 4, "\(refused.output)\(refused.errors)")
                #expect(refused.errors.contains(rig.library), "\(refused.errors)")
            }
            try await within(.seconds(10), "the status to say so") { [capctl = rig.capctl] in
                while try await capctl.ask(StatusAnswer.self, "status").libraryProblem == nil {
                    try await TestRig.pause()
                }
            }
            try rename(rig.library + ".moved", to: rig.library)
            try await rig.expectSound(try await rig.trigger("--all", expecting: 0))
            try await within(.seconds(10), "the status to say so") { [capctl = rig.capctl] in
                while try await capctl.ask(StatusAnswer.self, "status").libraryProblem != nil {
                    try await TestRig.pause()
                }
            }
            try await rig.end()
        }
    }
}

extension System {
    @Suite(.timeLimit(.minutes(2))) struct RawTests {
        /// One camera of a Bayer sensor with RAW, and one that delivers JPEG.
        private func plans() -> [NodePlan] {
            var plans = NodePlan.nodes(1, cameras: 2)
            plans[0].cameras[0].settings = ["raw: true", "format: { pixelFormat: RG10 }"]
            return plans
        }

        @Test func `in a mixed rig RAW comes of the cameras that have it, and no camera loses its photo`() async throws
        {
            let rig = try await TestRig.started(plans())
            let answer = try await rig.trigger("--all", "--raw+jpeg", expecting: 0)
            #expect(answer.shot.captures.map { $0.files.map(\.kind) } == [[.photo, .alternatePhoto], [.photo]])
            #expect(answer.files.allSatisfy { $0.outcome == .done })
            #expect(answer.shot.captures[0].rawNote == nil)
            #expect(answer.shot.captures[1].rawNote?.contains("the camera delivers MJPG") == true)

            let strict = try await rig.trigger("--all", "--raw+jpeg", "--raw-required", expecting: 3)
            #expect(strict.shot.captures.map(\.phase) == [.done, .missed])
            #expect(strict.shot.captures[1].problem?.code == .unsupportedSettings)
            try await rig.end()
        }
    }
}

extension System {
    @Suite(.timeLimit(.minutes(1))) struct RepeatedShotTests {
        @Test("Fires a repeated trigger once, and refuses its id for another shot")
        func sameIDIsOneShot() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 1))
            let id = ShotID.fresh().description
            let first = try await rig.trigger("--all", "--id", id, expecting: 0)
            #expect(try await rig.trigger("--all", "--id", id, expecting: 0).shot == first.shot)

            let refused = try await rig.capctl.run("trigger", "--all", "--id", id, "--quality", "50")
            #expect(refused.status == 4 && refused.output.isEmpty)
            #expect(refused.errors.contains(id) && refused.errors.contains("other content"))

            try await rig.kill("coordinator")
            try await rig.startCoordinator()
            try await rig.awaitReadiness()
            #expect(try await rig.trigger("--all", "--id", id, expecting: 0).shot == first.shot)
            let refusedAgain = try await rig.capctl.run("trigger", "--node", "node1", "--id", id)
            #expect(refusedAgain.status == 4)
            try await rig.expectSound(first)
            #expect(StillCheck.stills(in: rig.library).count == 2)
            try await rig.end()
        }
    }
}

extension System {
    @Suite(.timeLimit(.minutes(1))) struct SceneTests {
        @Test("Reports a lamp in front of a monitored camera only")
        func lamp() async throws {
            let rig = try await TestRig.started(
                NodePlan.nodes(1, cameras: 2) { camera in
                    (camera.width, camera.height) = (1280, 720)
                    if camera.number == 1 { camera.settings = ["sceneChange: true", "sceneChangeThreshold: 30"] }
                })
            // Long enough for the scene to be learnt.
            try await rig.awaitRing(reaching: .milliseconds(2500))
            for camera in ["node1/cam2", "node1/cam1"] {
                let outcome = try await rig.capctl.run("devices", "set", camera, "flash_led_mode=2")
                #expect(outcome.status == 0, "\(outcome.errors)")
            }
            let watch = try await rig.capctl.run("watch", "--replay", "--count", "1", "--format", "json")
            let event = try watch.json(EventLine.self)
            #expect(event.name == "device.sceneChanged" && event.device == "node1/cam1")
            #expect((30...80).contains(Int(event.details["difference"] ?? "") ?? 0), "\(event)")
            #expect(event.details["count"] == "1")
            try await rig.end()
        }
    }
}

extension System {
    @Suite(.timeLimit(.minutes(1))) struct SmallPictureTests {
        @Test(
            "A preview or thumbnail that was asked for is not stored, not a picture, or told after the slow save",
            .needs("exiftool", "jpeginfo"))
        func previewAndThumbnail() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 2))
            let id = ShotID.fresh().description
            let answer = try await rig.trigger("--all", "--preview", "--thumbnail", "square", "--id", id, expecting: 0)
            try await rig.expectSound(answer)
            #expect(answer.storedPaths.count == 4 && answer.storedPaths.count { $0.contains("preview") } == 2)
            try await StillCheck.expectValidMetadata(answer.storedPaths)
            for capture in answer.shot.captures {
                #expect(capture.resolved?.preview == PixelSize(width: 320, height: 180))
                #expect(capture.resolved?.thumbnail == PixelSize(width: 90, height: 90))
            }
            let watch = try await rig.capctl.run("watch", id, "--device", "node1/cam1")
            let steps = watch.output.split(separator: "\n").map { $0.split(separator: " ")[3] }
            #expect(
                steps == [
                    "capture.willBeginCapture", "capture.willCapturePhoto", "capture.didCapturePhoto",
                    "capture.previewAvailable", "capture.didFinishProcessingPhoto",
                    "capture.didFinishProcessingPhoto", "capture.didFinishCapture",
                ], "\(watch.output)")
            let plain = try await rig.trigger("--all", expecting: 0)
            #expect(plain.storedPaths.count == 2)
            try await rig.end()
        }
    }
}
