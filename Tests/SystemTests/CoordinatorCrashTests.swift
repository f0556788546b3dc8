import CaptureModel
import Testing

extension System {
    @Suite(.timeLimit(.minutes(2))) struct CoordinatorCrashTests {
        /// When the coordinator is killed.
        enum Moment: CaseIterable {
            case firstCameraArmed
            case firstFrameChosen
            case everyStillSpooled
            case firstTransferBegun
            case firstFileStored
            case fifthFileStored
            case twelfthFileStored

            /// Whether every picture lies in a spool, so that none may be missing at the end.
            var isAfterEveryCapture: Bool { self != .firstCameraArmed && self != .firstFrameChosen }
        }

        /// Files of several chunks, collected within a second or two.
        private func rig() async throws -> TestRig {
            let plans = NodePlan.nodes(4, cameras: 4) { camera in
                (camera.width, camera.height, camera.framesPerSecond) = (1920, 1080, 10)
            }
            return try await TestRig.started(plans, rate: "4 MB/s")
        }

        private func wait(for moment: Moment, _ events: EventTail, _ incoming: FolderWatch) async throws {
            let limit = Duration.seconds(20)
            switch moment {
            case .firstCameraArmed: try await events.wait(for: "capture.willBeginCapture")
            case .firstFrameChosen: try await events.wait(for: "capture.didCapturePhoto")
            case .everyStillSpooled: try await events.wait(for: "capture.didFinishCapture", count: 16)
            case .firstTransferBegun: try await incoming.wait(for: .came, within: limit)
            case .firstFileStored: try await incoming.wait(for: .went, within: limit)
            case .fifthFileStored: try await incoming.wait(for: .went, count: 5, within: limit)
            case .twelfthFileStored: try await incoming.wait(for: .went, count: 12, within: limit)
            }
        }

        @Test(
            "a coordinator that crashes leaves half a file, a picture lost or twice, or a shot without end",
            arguments: Moment.allCases)
        func coordinatorKilled(at moment: Moment) async throws {
            let rig = try await rig()
            let incoming = try FolderWatch(rig.library + "/.incoming")
            let (events, id) = (try EventTail(of: rig), ShotID.fresh())
            let trigger = try rig.startTrigger(["--all", "--id", id.description, "--timeout", "20s"])
            try await wait(for: moment, events, incoming)
            try await rig.kill("coordinator")
            try await rig.startCoordinator()

            let outcome = try await Capctl.outcome(of: trigger)
            let answer = try outcome.json(ShotAnswer.self)
            #expect(answer.shot.id == id && answer.files.count == 16)
            let isComplete = answer.files.allSatisfy { $0.outcome == .done }
            #expect(isComplete || !moment.isAfterEveryCapture, "\(outcome.output)")
            #expect(answer.files.allSatisfy { $0.outcome == .done || $0.outcome == .missed && $0.problem != nil })
            #expect(outcome.status == (isComplete ? 0 : 3))
            let settled = try await rig.trigger("--all", "--id", id.description, expecting: outcome.status)
            #expect(settled.shot == answer.shot)
            try await rig.expectSound(settled)
            for node in 1...4 { try await rig.awaitEmptySpool("node\(node)") }
            try await rig.end()
        }
    }
}
