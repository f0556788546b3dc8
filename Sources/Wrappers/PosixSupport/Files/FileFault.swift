internal import CPosix
internal import Glibc

/// Called before every step. If it returns an errno, the step is not performed and fails with it. Product code passes none. Called on the
/// thread that does the file work.
public typealias FileFault = @Sendable (_ step: FileStep, _ path: String) -> CInt?
