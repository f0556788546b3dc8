import Foundation
import Testing

@testable import PosixSupport

@Suite struct MachineTests {
    @Test func `a file is on the mount with the longest path, the last one of equal ones`() {
        let text = """
            22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
            30 22 0:25 / /var/lib\\040x rw - tmpfs tmpfs rw
            31 22 8:2 / /mnt rw shared:2 master:1 - vfat /dev/sdb1 rw
            32 31 8:3 / /mnt ro - exfat /dev/sdc1 ro
            of another form
            """
        let mounts = Mount.list(text)
        #expect(mounts.map(\.type) == ["ext4", "tmpfs", "vfat", "exfat"])
        #expect(Mount.holding("/mnt/a", in: mounts)?.type == "exfat")
        #expect(Mount.holding("/mntx", in: mounts)?.type == "ext4")
        #expect(Mount.holding("/var/lib x/y", in: mounts) == Mount(point: "/var/lib x", type: "tmpfs"))
        #expect(Mount.holding("/", in: mounts)?.point == "/")
        #expect(Mount.holding("/a", in: []) == nil)
    }

    @Test func `the sockets that listen on a port are found in the kernel's list`() {
        let text = """
              sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
               0: 0100007F:1E1E 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4711 1 0 100 0 0 10 0
               1: 0100007F:1E1E 0100007F:9999 01 00000000:00000000 00:00000000 00000000     0        0 4712 1 0 100 0 0 10 0
               2: 0100007F:1E1F 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 4713 1 0 100 0 0 10 0
            """
        #expect(TCPListener.inodes(ofPort: 0x1E1E, in: text) == ["4711"])
        #expect(TCPListener.inodes(ofPort: 1, in: text) == [])
    }

    @Test func `the kernel tells of its clock, its settings and this process`() throws {
        #expect(try WallClockState.read().maximumErrorMicroseconds >= 0)
        #expect(KernelSetting.numbers("net.ipv4.tcp_rmem")?.count == 3)
        #expect(KernelSetting.numbers("net.none") == nil)
        let own = try #require(RunningProcess(id: ProcessInfo.processInfo.processIdentifier))
        #expect(RunningProcess.all().contains(own))
        #expect(own.descriptorLimit == (try DescriptorLimit.most()))
        #expect(own.groups != nil && own.isProgramReplaced == false)
    }

    @Test func `a process that has ended does not run, though its parent has not waited for it`() throws {
        var id: pid_t = 0
        let name = unsafe strdup("true")
        defer { unsafe free(name) }
        try #require(unsafe posix_spawnp(&id, "true", nil, nil, [name, nil], [nil]) == 0)
        var end = unsafe siginfo_t()
        try #require(unsafe waitid(P_PID, id_t(id), &end, WEXITED | WNOWAIT) == 0)
        #expect(RunningProcess(id: id) == nil)
        #expect(RunningProcess.all().allSatisfy { $0.id != id })
        try #require(waitpid(id, nil, 0) == id)
    }

    @Test func `loopback has an interface, and an address of nobody has none`() {
        #expect(NetworkAddresses.interface(with: "127.0.0.1") == "lo")
        #expect(NetworkAddresses.interface(with: "192.0.2.1") == nil)
    }
}
