import CaptureTestSupport
import Glibc
import Testing

/// A folder in front of an agent's `PATH`, with an encoder that does what a test wants.
struct FakeTools {
    private let folder: TemporaryFolder
    private let processes = ProcessTable()
    private var pipe: String { folder.path + "/began" }

    /// - Parameters:
    ///   - name: The program's.
    ///   - script: For a shell; what it writes to `$BEGAN` ends ``begun()``.
    init(_ name: String, _ script: String) throws {
        folder = try TemporaryFolder()
        let path = try folder.write(Array("#!/bin/sh\n\(script)\n".utf8), as: name)
        guard unsafe chmod(path, 0o755) == 0, unsafe mkfifo(pipe, 0o600) == 0 else {
            throw SystemTestError("no fake tools")
        }
    }

    /// Of an agent that is to use it.
    var environment: [String: String] {
        processes.environment.merging(["PATH": folder.path + ":/usr/bin:/bin", "BEGAN": pipe]) { _, new in new }
    }

    /// Waits until the script has written.
    func begun() async throws {
        _ = try await LivePhotoCheck.tool(["head", "-n", "1", pipe])
    }

    /// Waits until neither the agent nor what it has started runs any more.
    func ended() async throws {
        try await processes.waitUntilNoneRuns(within: .seconds(20))
    }
}

extension TestRig {
    /// What a trigger of one camera is answered when the agent was killed while a program encoded, and was started again.
    /// - Parameters:
    ///   - encoder: The program's name. The agent that is killed has one that never ends.
    ///   - asked: What the trigger asks for.
    static func killedWhileEncoding(
        _ encoder: String, _ asked: [String], change: (inout NodePlan.Camera) -> Void = { _ in }
    ) async throws -> (TestRig, ShotAnswer) {
        let tools = try FakeTools(encoder, "echo > \"$BEGAN\"; exec tail -f /dev/null")
        var plans = NodePlan.nodes(1, cameras: 1, change: change)
        plans[0].environment = tools.environment
        let rig = try await TestRig.started(plans)
        if plans[0].cameras[0].isLive { try await rig.awaitRing(reaching: .milliseconds(1500)) }
        let trigger = try rig.startTrigger(asked)
        try await tools.begun()
        try await rig.kill("node1")
        try await tools.ended()
        try await rig.startAgent("node1", environment: [:])
        let outcome = try await Capctl.outcome(of: trigger)
        #expect(outcome.status == 0, "\(outcome.errors)\n\(outcome.output)")
        return (rig, try outcome.json(ShotAnswer.self))
    }
}
