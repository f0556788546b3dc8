import CaptureModel
package import PosixSupport

/// Writes the roster on a thread that may block on the disk.
package actor RosterStore {
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    private nonisolated let executor: ThreadExecutor
    private let file: RosterFile

    package init(file: RosterFile, executor: ThreadExecutor) {
        self.file = file
        self.executor = executor
    }

    func write(_ devices: [DeviceDescription]) throws {
        try file.write(devices)
    }
}
