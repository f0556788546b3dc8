import CaptureModel
import Catalogue
import FolderStore
import RigProtocol
import ShotDocuments
import ShotLogic

@testable import CapctlCommands
@testable import CoordinatorChannels

/// The `shot.json` of a library, which a coordinator goes on with after a restart, and `capctl` prints.
enum ShotManifestFuzz {
    static func run(_ bytes: [UInt8]) throws {
        guard let shot = try? ShotManifest.decode(bytes) else { return }
        let again = try ShotManifest.decode(try ShotManifest(shot: shot).encoded())
        try FuzzFinding.unless(again == shot, "a manifest that was written says something else")
        try check(shot)
        resume(shot)
    }

    /// Everything that is made of a shot whoever sent it.
    static func check(_ shot: Shot) throws {
        let folder = shot.libraryFolder.split(separator: "/", omittingEmptySubsequences: false)
        try FuzzFinding.unless(
            folder.count == 4 && !folder.contains { ["", ".", ".."].contains($0) }, "a shot lies outside of the library"
        )
        let report = ShotReport(shot, folder: "/library")
        for format in OutputFormat.allCases { _ = try report.rendered(as: format, TextLayout(width: 80)) }
        _ = CatalogueEntry(shot, ShotAnnotation(), day: "2026/11/21").wire
        _ = ShotQuery(since: 0, labels: ["left"], outcomes: [.done], text: "x").matches(shot, ShotAnnotation())
    }

    /// Lives through what may come after a restart; every step may ask for a manifest.
    private static func resume(_ shot: Shot) {
        let now = shot.time + .seconds(1)
        let schedule = ShotSchedule(time: shot.time, now: now, timeout: .seconds(10))
        var machine = ShotMachine(resuming: shot, rigClock: shot.rigClock, schedule: schedule)
        var events: [ShotEvent] = [.begin]
        for node in Set(shot.captures.map(\.device.id.node)).sorted() {
            events += [.nodeConnected(node, epochChanged: true, inventory: [])]
        }
        for event in events + [.cancelRequested, .deadlinePassed] {
            for case .writeManifest(let written) in machine.handle(event, at: now) {
                _ = machine.handle(.manifestDurable(revision: written.revision), at: now)
            }
        }
        _ = machine.handle(.deadlinePassed, at: machine.nextDeadline ?? now)
    }
}
