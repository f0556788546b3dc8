internal import Glibc

/// Names and numbers of users and groups, from the system's databases, which may ask a directory server, and so block.
public enum Accounts {
    /// The number of the user whose rights this process has.
    public static var currentUser: UInt32 { geteuid() }

    /// The name of a user; its number as text if the system has no name for it.
    public static func name(ofUser user: UInt32) -> String {
        var entry = unsafe passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: bufferSize)
        let result = unsafe getpwuid_r(user, &entry, &buffer, buffer.count, &found)
        guard result == 0, unsafe found != nil, let name = unsafe entry.pw_name else { return String(user) }
        return unsafe String(cString: name)
    }

    /// The name of a group; its number as text if the system has no name for it.
    public static func name(ofGroup group: UInt32) -> String {
        var entry = unsafe Glibc.group()
        var found: UnsafeMutablePointer<Glibc.group>?
        var buffer = [CChar](repeating: 0, count: bufferSize)
        let result = unsafe getgrgid_r(group, &entry, &buffer, buffer.count, &found)
        guard result == 0, unsafe found != nil, let name = unsafe entry.gr_name else { return String(group) }
        return unsafe String(cString: name)
    }

    /// The number of a group; nil if the system has none of that name.
    public static func group(named name: String) -> UInt32? {
        var entry = unsafe Glibc.group()
        var found: UnsafeMutablePointer<Glibc.group>?
        var buffer = [CChar](repeating: 0, count: bufferSize)
        let result = unsafe getgrnam_r(name, &entry, &buffer, buffer.count, &found)
        guard result == 0, unsafe found != nil else { return nil }
        return unsafe entry.gr_gid
    }

    /// Enough for a group of several thousand members.
    private static let bufferSize = 65_536
}
