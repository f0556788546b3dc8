import CaptureModel
import CaptureTestSupport
import PosixSupport
import Recording
import Testing

@testable import Spool

/// What a shot reports where the spool did not do what a capture needs.
@Suite struct SpoolProblemTests {
    @Test(
        "Each failure of a spool has its code in a shot, and keeps its words",
        arguments: [
            (SpoolError.Code.noSpace, RigProblem.Code.noSpace), (.inputOutput, .inputOutput),
            (.notFound, .fileLost), (.discarded, .discarded), (.conflict, .conflict),
            (.invalidRequest, .protocolViolation),
        ])
    func code(_ code: SpoolError.Code, _ expected: RigProblem.Code) {
        let problem = RigProblem(SpoolError(code, "store", "a capture", "the disk of /spool is full; free space"))
        #expect(problem == RigProblem(expected, "the disk of /spool is full; free space"))
    }

    @Test("Every code of a spool's failures is tried above")
    func allCodes() {
        #expect(Set(SpoolError.Code.allCases.map { RigProblem(SpoolError($0, "", "", "")).code }).count == 6)
    }

    @Test("A full spool is told with its folder, its numbers and what helps")
    func full() async throws {
        let folder = try TemporaryFolder()
        let spool = try Spool(
            folder: folder.path, limitBytes: 1000, reserveFreeBytes: 0, executor: try ThreadExecutor(name: "spool"))
        let problem = await #expect(throws: RigProblem.self) {
            try await spool.attempt { (spool) async throws(SpoolError) in try await spool.reserve(byteCount: 1001) }
        }
        #expect(problem?.code == .noSpace)
        for part in [folder.path, "1001", "1000", "raise its limit"] {
            #expect(problem?.message.contains(part) == true)
        }
    }
}
