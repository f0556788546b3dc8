import Glibc
import PosixSupport
import Testing

@Suite struct DescriptorLimitTests {
    @Test("A daemon keeps to the thousand descriptors that it begins with, which peers can take by connecting")
    func raise() throws {
        let limit = try DescriptorLimit.raise()
        var found = rlimit()
        #expect(unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &found) == 0)
        #expect(found.rlim_cur == found.rlim_max)
        #expect(limit == Int(clamping: found.rlim_cur))
    }
}
