import ArgumentParser
import CaptureTestSupport
import Foundation
import Testing

@testable import CapctlCommands

extension System {
    /// The examples in the help of `capctl`, on a rig of virtual cameras.
    @Suite(.timeLimit(.minutes(10))) struct ExampleTests {
        /// The columns of an ordinary terminal.
        private static let width = 80

        /// The examples of a command and its subcommands, in the order of the help.
        private static func examples(_ command: any ParsableCommand.Type) -> [CommandExample] {
            ((command as? any ExplainedCommand.Type)?.examples ?? [])
                + command.configuration.subcommands.flatMap(examples)
        }

        /// Runs a command in the rig's folder as on a terminal of 80 columns.
        private func run(_ line: String, _ rig: TestRig) async throws -> SystemTests.Capctl.Outcome {
            let arguments = CommandExample(stringLiteral: line).arguments
            let program = try RunningProgram(
                line, program: "/usr/bin/env",
                arguments: ["-C", rig.folder.path, Programs.path("capctl")] + arguments,
                environment: ["CAPRIG_ADMIN": rig.folder.path + "/admin", "COLUMNS": "\(Self.width)"],
                log: "\(rig.folder.path)/example-\(UUID().uuidString.prefix(8)).log")
            return try await SystemTests.Capctl.outcome(of: program, within: TestRig.patience)
        }

        @Test func `Every example that a rig is enough for works, and no table is wider than a terminal`() async throws
        {
            let rig = try await TestRig.started(
                NodePlan.nodes(2, cameras: 2) { camera in (camera.width, camera.height) = (1280, 720) })
            let examples = Self.examples(CapctlCommands.Capctl.self).filter { $0.obstacle == nil }
            #expect(examples.count > 70)
            for example in examples {
                // Another example may have begun a take.
                _ = try await run("capctl record stop --no-title", rig)
                for line in example.before {
                    // There may be nothing to stop, and on a busy machine a virtual camera may lose a frame of a movie.
                    let isStop = line.hasPrefix("capctl record stop")
                    let status = try await run(line, rig).status
                    #expect(status == 0 || isStop, "\(line)")
                }
                let outcome = try await run(example.line, rig)
                #expect(outcome.status == 0, "\(example.line)\n\(outcome.output)\(outcome.errors)")
                // Sentences have no columns, a wide table is as wide as it is, an event is a line, and a code is copied whole.
                let others = ["wide", " watch ", " events ", " invite "]
                guard !others.contains(where: example.line.contains) else { continue }
                let rows = outcome.output.split(separator: "\n").filter { $0.contains("  ") }
                for row in rows { #expect(row.count <= Self.width, "\(example.line)\n\(outcome.output)") }
            }
            for columns in [60, 200] { try await expectFit(columns, rig) }
            try await rig.end()
        }

        /// Runs a command on a terminal, which tells its width itself.
        private func expectFit(_ columns: Int, _ rig: TestRig) async throws {
            let program = try RunningProgram(
                "terminal", program: "/usr/bin/env",
                arguments: [
                    "-u", "COLUMNS", "script", "-qec", "stty cols \(columns) && \(Programs.path("capctl")) shots list",
                    "/dev/null",
                ], environment: ["CAPRIG_ADMIN": rig.folder.path + "/admin"], log: rig.folder.path + "/terminal.log")
            let outcome = try await SystemTests.Capctl.outcome(of: program, within: TestRig.patience)
            let lines = outcome.output.split(whereSeparator: \.isNewline)
            #expect(outcome.status == 0 && lines.count > 1 && lines.allSatisfy { $0.count <= columns }, "\(outcome)")
            #expect(lines.first?.contains("FOLDER") == (columns > 100), "\(outcome)")
        }
    }
}
