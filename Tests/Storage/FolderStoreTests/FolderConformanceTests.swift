import CaptureTestSupport
import FolderStore
import StorageConformance
import Testing

@Suite(.timeLimit(.minutes(2))) struct FolderConformanceTests {
    @Test(arguments: StoreCheck.allCases) func `a folder keeps the promises of a store`(_ check: StoreCheck)
        async throws
    {
        let suite = StorageConformance {
            let folder = try TemporaryFolder()
            return {
                let store = try FolderStore(folder: folder.path)
                return OpenStore(shots: store.manifests, annotations: store.notes, assets: store.assets)
            }
        }
        try await suite.run(check)
    }
}
