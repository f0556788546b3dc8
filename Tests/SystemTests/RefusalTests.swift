import CaptureModel
import CaptureTestSupport
import Glibc
import Testing

extension System {
    @Suite(.timeLimit(.minutes(1))) struct RefusalTests {
        @Test("Exits with a status and a reason for each request that cannot be met")
        func requestsThatCannotBeMet() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 1))
            let nothing = try await rig.capctl.run("trigger", "--type", "telephoto")
            #expect(nothing.status == 5 && nothing.output.isEmpty)
            #expect(nothing.errors.contains("node1/cam1") && nothing.errors.contains("node2/cam1"))

            let past = try await rig.capctl.run("trigger", "--all", "--at", "-60s")
            #expect(past.status == 4 && past.output.isEmpty)
            #expect(
                past.errors.contains("1 min 0 s") && past.errors.contains("before") && past.errors.contains("10 s"))
            let future = try await rig.capctl.run("trigger", "--all", "--at", "+60s")
            #expect(future.status == 4 && future.output.isEmpty)
            #expect(
                future.errors.contains("1 min 0 s") && future.errors.contains("after")
                    && future.errors.contains("10 s"))

            for arguments in [
                ["trigger"], ["trigger", "--all", "--bogus"], ["trigger", "--all", "--at", "soon"], ["shoot"],
            ] {
                let usage = try await rig.capctl.run(arguments)
                #expect(usage.status == 64 && usage.output.isEmpty && !usage.errors.isEmpty)
            }
            #expect(StillCheck.stills(in: rig.library).isEmpty)
            try await rig.end()
        }

        @Test("Exits with one status wherever a camera is named that the rig does not have, and names it")
        func unknownCameras() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            let file = rig.folder.path + "/settings.yaml"
            let known = "node1/cam1"
            for unknown in ["node1/nobody", "nowhere/cam1"] {
                try rig.folder.write("cameras: { \(unknown): gain=raw:1 }\n", to: "settings.yaml")
                let commands = [
                    ["trigger", "--device", unknown], ["record", "start", "--device", unknown],
                    ["devices", "show", unknown], ["devices", "set", unknown, "gain=1"],
                    ["devices", "forget", unknown],
                    ["session", "start", unknown], ["session", "stop", unknown],
                    ["session", "turn", unknown, "--mirrored"],
                    ["session", "switch", unknown, "cam1"], ["session", "switch", "--check", unknown, "cam1"],
                    ["resume", unknown], ["preview", unknown], ["frames", "info", unknown],
                    ["settings", "set", "gain=raw:1", "--device", unknown], ["settings", "apply", file],
                    ["settings", "undo", "--device", unknown], ["settings", "save", "night", "--device", unknown],
                    ["settings", "calibrate", "--device", unknown], ["settings", "lock", "--device", unknown],
                    ["settings", "match", "--card", "gray", "--device", unknown],
                    ["settings", "match", "--device", known, "--reference", unknown],
                ]
                for command in commands {
                    let outcome = try await rig.capctl.run(command)
                    #expect(outcome.status == 5, "\(command): \(outcome.errors)")
                    #expect(
                        (outcome.errors + outcome.output).contains(
                            unknown.split(separator: "/")[unknown.hasPrefix("nowhere") ? 0 : 1]))
                }
            }
            try await rig.end()
        }

        @Test("Waits for nodes when it triggers right after the start")
        func noNodeYet() async throws {
            let rig = try TestRig(NodePlan.nodes(1, cameras: 1))
            try await rig.startCoordinator()
            let early = try await rig.capctl.run("trigger", "--all")
            #expect(early.status == 5 && early.output.isEmpty)
            #expect(early.errors.contains("no node has joined yet; "), "\(early.errors)")
            try await rig.end()
        }

        @Test("Takes a picture of a moment that has just passed")
        func theRecentPastIsLegal() async throws {
            let rig = try await TestRig.started(NodePlan.nodes(2, cameras: 1))
            try await rig.awaitRing(reaching: .milliseconds(600))
            let answer = try await rig.trigger("--all", "--at", "-0.3s", expecting: 0)
            try StillCheck.expectSkewsInPixels(answer.shot, in: answer.folder)
            try await rig.expectSound(answer)
            try await rig.end()
        }

        @Test(
            "capctl does not say that the shot of an interrupted trigger continues, or it does not continue",
            arguments: [SIGINT, SIGTERM])
        func interrupted(signal: Int32) async throws {
            let rig = try await TestRig.started(NodePlan.nodes(1, cameras: 1))
            let id = ShotID.fresh().description
            let events = try EventTail(of: rig)
            let trigger = try rig.startTrigger(["--all", "--at", "+4s", "--id", id])
            try await events.wait(for: "shot.accepted")
            trigger.send(signal)
            // A command that went on waiting would end with the shot's document and its status.
            let outcome = try await Capctl.outcome(of: trigger)
            #expect(outcome.status == 130 && outcome.output.isEmpty)
            #expect(outcome.errors.contains("the shot continues: capctl shots show \(id)"), "\(outcome.errors)")
            try await events.wait(for: "shot.settled")
            #expect(try await rig.capctl.run("shots", "show", id).status == 0, "complete")
            try await rig.end()
        }

        @Test("Reports output that cannot be written")
        func fullOutput() async throws {
            let folder = try TemporaryFolder()
            let command = "\"$0\" shots list --library \"$1\" -o json > /dev/full"
            let started = try RunningProgram(
                "sh", program: "/bin/sh", arguments: ["-c", command, Programs.path("capctl"), folder.path],
                log: folder.path + "/log")
            let outcome = try await Capctl.outcome(of: started, within: .seconds(10))
            #expect(outcome.status == 1)
            #expect(outcome.errors.hasPrefix("capctl: standard output cannot be written: "), "\(outcome.errors)")
        }

        @Test("Reports a coordinator that does not run, in time")
        func noCoordinator() async throws {
            let rig = try TestRig(NodePlan.nodes(1, cameras: 1))
            try await rig.startCoordinator()
            try await rig.kill("coordinator")
            for arguments in [["trigger", "--all"], ["devices"], ["status"], ["shots"]] {
                let outcome = try await rig.capctl.run(arguments, within: .seconds(10))
                #expect(outcome.status == 6 && outcome.output.isEmpty)
                #expect(outcome.errors.contains(rig.client))
            }
        }
    }
}
