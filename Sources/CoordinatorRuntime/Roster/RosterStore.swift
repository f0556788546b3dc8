import CaptureModel
import PosixSupport

/// Writes the roster on a thread that may block on the disk.
actor RosterStore {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    private nonisolated let executor: FileExecutor
    private let file: RosterFile

    init(file: RosterFile, executor: FileExecutor) {
        self.file = file
        self.executor = executor
    }

    func write(_ devices: [DeviceDescription]) throws {
        try file.write(devices)
    }
}
