import CaptureModel
import RigTestSupport
import Testing

@testable import RigCore

@Suite struct PendingReleasesTests {
    private let digest = Samples.digest([1])
    private let start = LocalTime(nanoseconds: 0)

    @Test("Repeats releases to a node that was away until it answers")
    func untilAnswered() throws {
        var releases = PendingReleases()
        let key = try Samples.fileKey()
        let node = key.capture.device.node
        releases.add(key, digest, at: start)
        #expect(releases.of(node).map(\.key) == [key] && releases.of(node).map(\.digest) == [digest])
        releases.add(key, nil, at: start)
        #expect(releases.of(node).map(\.digest) == [nil], "the newest word counts")
        releases.answered(key, at: start)
        #expect(releases.of(node).isEmpty)
    }

    @Test("Bounds the releases kept for absent nodes")
    func bounded() throws {
        var releases = PendingReleases()
        let key = try Samples.fileKey()
        let keys = (0..<PendingReleases.limit + 5).map {
            FileKey(capture: CaptureKey(shot: Samples.shot(Int64($0)), device: key.capture.device), kind: key.kind)
        }
        for key in keys { releases.add(key, digest, at: start) }
        #expect(releases.of(key.capture.device.node).map(\.key) == keys.suffix(PendingReleases.limit))
    }

    @Test("Repeats a release to a silent node at intervals")
    func repeated() throws {
        var releases = PendingReleases()
        let (key, everybody) = (try Samples.fileKey(), { (_: NodeName) in true })
        releases.add(key, digest, at: start)
        #expect(releases.removeDue(of: everybody, at: start + .milliseconds(1999)).isEmpty)
        #expect(releases.removeDue(of: { _ in false }, at: start + .seconds(2)).isEmpty, "it is away")
        var told: [Duration] = []
        var now = start
        while let next = releases.nextInstant(of: everybody), next - start < .seconds(300) {
            now = next
            #expect(releases.removeDue(of: everybody, at: now).map(\.key) == [key])
            told.append(now - start)
        }
        #expect(told == [2, 6, 14, 30, 62, 122, 182, 242].map { .seconds($0) })
        releases.answered(key, at: now)
        #expect(releases.nextInstant(of: everybody) == nil)
    }
}
