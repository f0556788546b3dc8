import CaptureTestSupport
import Foundation
import PosixSupport
import Testing

@testable import Movies

/// Recordings that more has happened to than a crash.
@Suite(.enabled(if: Probe.isPossible)) struct RecordingDamageTests {
    private static let (movie, sidecar) = ("left-001.recording.mov", "left-001.frames.jsonl")
    private static let times = ClipSample.times(240)

    let temporary: TemporaryFolder
    let folder: Folder

    /// Eight seconds that nobody has finished.
    init() throws {
        temporary = try TemporaryFolder()
        folder = try Folder(opening: temporary.path)
        let recorder = try MovieRecorder(to: folder, name: "left", format: RecordingSample.format(sound: true))
        for (number, time) in Self.times.enumerated() {
            try recorder.write(RecordingSample.frame(number, at: time))
            try recorder.write(sound: RecordingSample.sound(number), at: Int64(number) * 1600)
        }
        _ = try recorder.stop()
    }

    private func fragments() throws -> [Range<Int>] {
        try QuickTimeAtoms.atoms(of: folder.open(Self.movie, for: .reading)).filter { $0.type == "moof" }
            .map { Int($0.start)..<Int($0.end) }
    }

    /// The lines, each with its end.
    private func lines() throws -> [Range<Int>] {
        var (start, ranges) = (0, [Range<Int>]())
        for (index, byte) in try temporary.read(Self.sidecar).enumerated() where byte == UInt8(ascii: "\n") {
            ranges.append(start..<index + 1)
            start = index + 1
        }
        return ranges
    }

    private func change(_ name: String, _ change: (inout [UInt8]) -> Void) throws {
        var bytes = try temporary.read(name)
        change(&bytes)
        try temporary.write(bytes, as: name)
    }

    private func zero(_ name: String, _ range: Range<Int>) throws {
        try change(name) { $0.replaceSubrange(range, with: [UInt8](repeating: 0, count: range.count)) }
    }

    enum Damage: CaseIterable {
        case firstFragment, middleFragment, skippedFragment, movieCut, movieCutBeforeIndex
        case linesZeroed, lineMissing, sidecarCut, sidecarEmpty
    }

    private func apply(_ damage: Damage) throws {
        let (fragments, lines) = (try fragments(), try lines())
        let middle = fragments[fragments.count / 2]
        switch damage {
        case .firstFragment: try zero(Self.movie, fragments[0].prefix(8))
        case .middleFragment: try zero(Self.movie, middle.prefix(8))
        case .skippedFragment:
            try change(Self.movie) { $0.replaceSubrange(middle.dropFirst(4).prefix(4), with: Array("free".utf8)) }
        case .movieCut: try change(Self.movie) { $0.removeSubrange(middle.lowerBound...) }
        case .movieCutBeforeIndex: try change(Self.movie) { $0.removeSubrange(100...) }
        case .linesZeroed: try zero(Self.sidecar, lines[100].lowerBound + 20..<lines[110].lowerBound + 20)
        case .lineMissing: try change(Self.sidecar) { $0.removeSubrange(lines[100]) }
        case .sidecarCut: try change(Self.sidecar) { $0.removeSubrange(lines[100].lowerBound...) }
        case .sidecarEmpty: try change(Self.sidecar) { $0 = [] }
        }
    }

    @Test(arguments: Damage.allCases)
    func `what is behind damage in the middle of a recording is thrown away, or is told as other frames`(
        _ damage: Damage
    ) throws {
        try apply(damage)
        let before = (try temporary.read(Self.movie), try temporary.read(Self.sidecar))
        guard case .damaged("left-001", let error)? = RecordingFinisher.recover("left-001", in: folder) else {
            Issue.record("it passes for what a crash leaves")
            return
        }
        #expect(error.code == .malformed && error.cause.contains("agree up to frame "))
        #expect(try temporary.names() == [Self.sidecar, Self.movie])
        #expect(try temporary.read(Self.movie) == before.0 && temporary.read(Self.sidecar) == before.1)
    }

    @Test func `what a crash takes of the end passes for damage, or leaves a line without its frame`() throws {
        let (movie, sidecar) = (try temporary.read(Self.movie), try temporary.read(Self.sidecar))
        let (fragments, lines) = (try fragments(), try lines())
        var counts: Set<Int> = []
        // A second and a half before the end lie three fragments, and 45 lines.
        for round in 0..<60 {
            try temporary.write(movie, as: Self.movie)
            try temporary.write(sidecar, as: Self.sidecar)
            var generator = SeededGenerator(seed: UInt64(round))
            let (part, line) = (
                fragments.suffix(3).randomElement(using: &generator), lines.suffix(45).randomElement(using: &generator)
            )
            let (fragment, cut) = (try #require(part), try #require(line))
            let place = Int.random(in: fragment.lowerBound..<movie.count, using: &generator)
            switch round % 3 {
            case 0: try zero(Self.movie, fragment)
            case 1: try change(Self.movie) { $0.removeSubrange(place...) }
            default: break
            }
            let end = Int.random(in: cut, using: &generator)
            if round % 2 == 0 { try change(Self.sidecar) { $0.removeSubrange(end...) } }
            let outcome = RecordingFinisher.recover("left-001", in: folder)
            guard case .finished(let finished)? = outcome else {
                Issue.record("round \(round): \(String(describing: outcome))")
                return
            }
            #expect((Self.times.count - 46...Self.times.count).contains(finished.frameCount))
            counts.insert(finished.frameCount)
            let listed = try FrameSidecar.times(folder.open(Self.sidecar, for: .reading))
            #expect(listed == Array(Self.times.prefix(finished.frameCount)))
            if round < 12 {
                let found = try Probe.times(of: temporary.path + "/left-001.mov")
                #expect(found.count == listed.count && Probe.largestError(found, listed) <= 0.000_006)
                #expect(try Probe.complaints(about: temporary.path + "/left-001.mov") == "")
            }
            try FileManager.default.removeItem(atPath: temporary.path + "/left-001.mov")
        }
        #expect(counts.contains(Self.times.count) && counts.count > 10)
    }

    @Test func `a frame that waited while no other came counts as a long loss`() throws {
        var listed = ListedFrames([0, 3000, 9_000_000, 9_003_000])
        #expect(listed.accepts(0) && listed.damage == nil)
        var missing = ListedFrames([
            0, 3000, 6000, 6000 + RecordingLimits.longestLoss, 7000 + RecordingLimits.longestLoss,
        ])
        #expect(missing.accepts(0) && missing.damage != nil)
        #expect(missing.accepts(3000) && missing.damage == nil)
        var other = ListedFrames([0, 3000])
        #expect(!other.accepts(1) && !other.accepts(0) && other.isEnded && other.damage != nil)
    }
}
