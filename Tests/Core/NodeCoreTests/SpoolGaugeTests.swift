import PosixSupport
import Testing

@testable import NodeCore
@testable import Spool

@Suite struct SpoolGaugeTests {
    private func usage(_ disk: FileSystemRoom?) -> SpoolUsage {
        SpoolUsage(
            limitBytes: 1000, storedBytes: 0, reservedBytes: 0, keptFreeBytes: 0, disk: disk, neededFiles: 24,
            captureCount: 0, fileCount: 0, damagedCount: 0, removedLeftovers: 0, foreignCount: 0)
    }

    @Test(arguments: [
        FileSystemRoom(freeBytes: 5000, isReadOnly: true), FileSystemRoom(freeBytes: 5000, freeFiles: 23),
    ])
    func `a disk that accepts no file is a shortage though no camera runs`(_ disk: FileSystemRoom) {
        var gauge = SpoolGauge()
        let room = FileSystemRoom(freeBytes: 5000, freeFiles: 24)
        let changes = [gauge.update(usage(room), needed: nil), gauge.update(usage(disk), needed: nil)]
        #expect(changes == [false, true])
        #expect(gauge.shortage?.hasPrefix("the spool's disk ") == true)
        let isOver = gauge.update(usage(room), needed: nil)
        #expect(isOver)
        #expect(gauge.shortage == nil)
    }

    @Test func `a disk without enough bytes stays a shortage while no camera runs`() {
        var gauge = SpoolGauge()
        let full = FileSystemRoom(freeBytes: 5)
        let changes = [
            gauge.update(usage(full), needed: nil), gauge.update(usage(full), needed: 100),
            gauge.update(usage(full), needed: nil), gauge.update(usage(FileSystemRoom(freeBytes: 500)), needed: 100),
        ]
        #expect(changes == [false, true, false, true])
    }
}
