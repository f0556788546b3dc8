import CaptureModel
import CaptureTestSupport
import Catalogue
import RigTestSupport
import Testing

@testable import RigCore

@Suite(.timeLimit(.minutes(1))) struct RequestLimitTests {
    /// Answers no search before it is told to.
    private final class SlowCatalogue: Catalogue {
        let isOpen = Observed(false)

        func note(_ shot: Shot) {}

        func shots(_ page: ShotPage) async throws(CaptureProblem) -> CatalogueListing {
            await isOpen.wait { $0 }
            return CatalogueListing(source: .manifests(reason: "slow"))
        }
    }

    @Test("Slow searches keep triggers waiting, or a request too many is never answered")
    func slowSearches() async throws {
        let catalogue = SlowCatalogue()
        let rig = try await ServiceBench(folder: try TemporaryFolder(), catalogue: catalogue)
        let search = RigQuery.shots(ShotPage(ShotQuery(), limit: 50))
        let count = CoordinatorService.concurrency
        let searches = (0..<count).map { _ in
            rig.service.perform(.query(search, by: Requester(.unnamed, Samples.requester())))
        }
        #expect(await rig.answer(to: search)?.refusal?.code == .noMemory)
        guard case .status? = await rig.answer(to: .status) else {
            Issue.record("the status waits for the disk")
            return
        }
        let trigger = await rig.answers(to: .trigger(rig.bench.order())).value.last
        #expect(trigger?.refusal?.code == .emptySelection, "refused, since there is no camera; but answered")
        catalogue.isOpen.change { $0 = true }
        for answers in searches {
            var all: [RigAnswer] = []
            for await answer in answers { all.append(answer) }
            guard case .shots? = all.last, all.count == 1 else {
                Issue.record("\(all)")
                continue
            }
        }
        guard case .shots? = await rig.answer(to: search) else {
            Issue.record("there is room again")
            return
        }
        await rig.bench.end()
    }
}
