/// A step of file work at which a disk can fail; tests name the steps at which theirs does.
public enum FileStep: String, Hashable, Sendable, CaseIterable {
    /// A file is opened for reading or writing, and created where missing.
    case open
    /// Bytes are read.
    case read
    /// Bytes are appended or a length is set.
    case write
    /// `fsync` of a file.
    case syncFile
    /// A file is given another name.
    case rename
    /// `fsync` of a folder, which makes the names in it durable.
    case syncFolder
    /// `syncfs`: everything on the file system becomes durable.
    case syncFileSystem
    /// A folder is created.
    case makeFolder
    /// A file or empty folder is removed.
    case remove
}

/// Asked before every step; an errno it returns is what the step fails with, and the step is not taken. Product code
/// passes none. Called on whichever thread does the file work.
public typealias FileFault = @Sendable (_ step: FileStep, _ path: String) -> CInt?
