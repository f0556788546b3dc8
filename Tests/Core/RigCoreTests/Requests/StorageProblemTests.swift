import CaptureModel
import CaptureTestSupport
import Catalogue
import RigTestSupport
import StorageKit
import Testing

@testable import RigCore

/// What a front end is told where a store did not do what was asked for.
@Suite(.timeLimit(.minutes(10))) struct StorageProblemTests {
    /// A catalogue whose library cannot be read.
    private struct BrokenCatalogue: Catalogue {
        func note(_ shot: Shot) {}

        func shots(_ page: ShotPage) async throws(StorageError) -> CatalogueListing {
            throw StorageError(.noSpace, "write", "/library", "the disk of /library is full; free space on it")
        }
    }

    @Test(
        "Each failure of a store has its code in a shot, and keeps its words",
        arguments: [
            (StorageError.Code.noSpace, RigProblem.Code.noSpace), (.inputOutput, .inputOutput),
            (.corrupted, .corrupted), (.conflict, .conflict), (.notFound, .unknownShot),
            (.invalidRequest, .protocolViolation), (.preconditionFailed, .preconditionFailed),
        ])
    func code(_ code: StorageError.Code, _ expected: RigProblem.Code) {
        let problem = RigProblem(StorageError(code, "read", "a shot", "/library has no such shot"))
        #expect(problem == RigProblem(expected, "/library has no such shot"))
    }

    @Test("A query that the library cannot answer is refused with the store's code and words")
    func refusedQuery() async throws {
        let rig = try await ServiceBench(folder: try TemporaryFolder(), catalogue: BrokenCatalogue())
        let answer = await rig.answer(to: .shots(ShotPage(ShotQuery(), limit: 50)))
        #expect(answer?.refusal == RigProblem(.noSpace, "the disk of /library is full; free space on it"))
        await rig.bench.end()
    }
}
