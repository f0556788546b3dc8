import CaptureModel
import CaptureSystem
import CaptureTestSupport
import FolderStore
import Logging
import PosixSupport
import RigCore
import RigTestSupport
import StorageKit

/// A rig that does nothing by itself, with a library that has one shot.
struct IdleRig {
    let rig: Rig
    let library: ShotLibrary
    let assets: any AssetStore

    init(folder: TemporaryFolder) async throws {
        let disk = try ThreadExecutor(name: "library")
        let clock = SystemTimeSource()
        let store = try FolderStore(folder: folder.path + "/library")
        (library, assets) = (store.library, store.assets)
        let epoch = Epoch.random()
        rig = Rig(
            epoch: epoch, clockID: RigClockID(rawValue: "rig-1"), clock: clock, settings: RigSettings(),
            library: library, events: EventLog(epoch: epoch), roster: Roster(restoring: []),
            rosterStore: RosterStore(file: RosterFile(folder: try Folder.make(folder.path + "/state")), executor: disk),
            log: Logger(label: "test"))
        let time = RigTime(nanoseconds: 1_000_000_000)
        try await library.journal(
            Shot(
                id: Samples.shot(), time: time, rigClock: rig.clockID,
                wallClock: WallClockPair(monotonic: time, realtimeNanoseconds: 1_795_000_000_000_000_000),
                coordinatorEpoch: epoch, request: ShotRequest(selection: Selection()),
                captures: [Capture(device: try Samples.status("north/cam").device)]))
    }
}
