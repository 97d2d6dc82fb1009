import API
import Files
import Glibc
import School
import Testing

@testable import Exports

@Suite struct FullDisk {
    @Test(arguments: [(ENOSPC, true), (EDQUOT, true), (EIO, false)])
    func `the person who ordered an export learns where the disk is full`(
        number: Int32, isFull: Bool
    ) {
        let error = FileError("write", "/x", number)
        let sentence = OrderedExport.sentence(for: error)
        #expect((sentence == Problem.storageFull.title) == isFull)
        #expect(!sentence.contains("/x"), "server paths are nobody's business")
    }
}
