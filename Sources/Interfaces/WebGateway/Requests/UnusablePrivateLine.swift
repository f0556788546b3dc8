internal import Glibc

/// Why a file with a secret cannot be used: which, why, and what to do.
public struct UnusablePrivateLine: Error, CustomStringConvertible {
    public let description: String
}
