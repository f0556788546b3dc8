import CaptureModel
import Testing

@testable import CoordinatorRuntime

@Suite struct PendingReleasesTests {
    private let digest = Samples.digest([1])

    @Test("A node that was away is not told what it may let go of, or is told again after it has answered")
    func untilAnswered() throws {
        var releases = PendingReleases()
        let key = try Samples.fileKey()
        let node = key.capture.device.node
        releases.add(key, digest)
        #expect(releases.of(node).map(\.key) == [key] && releases.of(node).map(\.digest) == [digest])
        releases.add(key, nil)
        #expect(releases.of(node).map(\.digest) == [nil], "the newest word counts")
        releases.answered(key)
        #expect(releases.of(node).isEmpty)
    }

    @Test("A node that never comes back takes memory without end")
    func bounded() throws {
        var releases = PendingReleases()
        let key = try Samples.fileKey()
        let keys = (0..<PendingReleases.limit + 5).map {
            FileKey(capture: CaptureKey(shot: Samples.shot(Int64($0)), device: key.capture.device), kind: key.kind)
        }
        for key in keys { releases.add(key, digest) }
        #expect(releases.of(key.capture.device.node).map(\.key) == keys.suffix(PendingReleases.limit))
    }
}
